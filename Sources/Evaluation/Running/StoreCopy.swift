import Foundation
import SystemIO

/// A private copy of a store, so that reading leaves no trace in the folder of a run.
///
/// SQLite makes files beside a database that it only reads, which a read-only folder does not allow.
final class StoreCopy: Sendable {
    /// The path of the copy.
    let path: String
    private let folder: String

    /// Copies the store at `path`; the copy is removed at deinit.
    ///
    /// - Throws: ``StoreError`` if another process writes the folder now, or the store cannot be copied.
    init(of path: String) throws {
        let files = FileManager.default
        let original = URL(fileURLWithPath: path)
        let lock = try Self.lock(original.deletingLastPathComponent().path)
        folder = files.temporaryDirectory.appendingPathComponent("earshot-store-\(UUID().uuidString)").path
        self.path = folder + "/" + original.lastPathComponent
        do {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // What a killed run wrote last is in its write-ahead log only.
            for suffix in ["", "-wal"] where suffix.isEmpty || files.fileExists(atPath: path + suffix) {
                try files.copyItem(atPath: path + suffix, toPath: self.path + suffix)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self.path + suffix)
            }
        } catch {
            try? files.removeItem(atPath: folder)
            throw StoreError(
                path: path, message: "cannot be copied to \(folder): \(error.localizedDescription)")
        }
        withExtendedLifetime(lock) {}
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The lock of a run folder; nil if it has none or gives none away.
    private static func lock(_ folder: String) throws -> FileLock? {
        let path = folder + "/" + RunLock.fileName
        do {
            return try FileLock(path, flags: O_RDONLY)
        } catch FileLock.Failure.cannotLock {
            throw RunLock.isTaken(path)
        } catch {
            return nil
        }
    }
}
