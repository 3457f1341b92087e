import GRDB

/// Opens all SQLite files of the project that others than caches depend on.
package enum DurableSQLite {
    /// Opens the file at `path`, and makes it if there is none.
    ///
    /// - Parameter syncsEachCommit: Whether a transaction that has returned is on the disk. Otherwise a power failure may
    ///   lose the latest ones, but never leaves half of one.
    /// - Throws: `DatabaseError`, also if SQLite does not synchronise commits.
    package static func open(
        _ path: String, syncsEachCommit: Bool = true, configuration: Configuration = Configuration()
    ) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        guard syncsEachCommit else { return pool }
        // Only now: GRDB turns this off when it sets up the write-ahead log, after it has prepared the connection.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                throw DatabaseError(resultCode: .SQLITE_IOERR, message: "commits are not synchronised")
            }
        }
        return pool
    }
}
