import Foundation
import Synchronization

/// Writes files that appear complete or not at all.
///
/// The bytes go to a temporary file in the same folder and are synchronised. The file then takes the target's name in
/// one step. After an error the temporary file is removed and the target is unchanged. A target that is a device or a
/// pipe (`/dev/stdout`, `/dev/full`) is written directly, because it cannot be replaced.
///
/// The temporary file has no name until it is finished, so a process that is killed while it writes leaves nothing behind.
/// To replace a file, and on file systems without such files, it is called `.NAME.PROCESS.NUMBER.part`.
/// ``removeAbandoned(for:)`` removes those that no process holds the lock of.
package enum AtomicFile {
    package static func write(_ bytes: [UInt8], to path: String) throws {
        try bytes.withUnsafeBytes { try write($0, to: path) }
    }

    package static func write(_ text: String, to path: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0), to: path) }
    }

    /// Writes `bytes` to the file at `path`.
    /// - Throws: ``FileWriteError`` naming the file and the reason.
    package static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws {
        try write(to: path) { try $0.append(bytes) }
    }

    /// Writes to the file at `path` what `body` appends; an error from `body` writes nothing.
    ///
    /// - Parameter willReplace: Called when all is written, before it takes the place of another file; an error from it
    ///   also writes nothing.
    /// - Throws: ``FileWriteError`` naming the file and the reason, or the error of `body` or `willReplace`.
    package static func write(
        to path: String, willReplace: () throws -> Void = {}, _ body: (FileAppender) throws -> Void
    ) throws {
        let mode = try mode(of: path)
        if let mode, mode & S_IFMT != S_IFREG {
            let appender = try FileAppender(opening: path, flags: O_WRONLY, for: path)
            try body(appender)
            return try appender.close()
        }
        // A link stays a link: the file it points to is replaced.
        let target = mode == nil ? path : resolved(path)
        let folder = SyncedFolder.parent(of: target)
        let temporary = try temporaryFile(for: target)
        let names = try SyncedFolder(folder, for: path)
        let appender: FileAppender
        do {
            let unnamed = FileAppender(unnamedIn: folder, for: path)
            appender =
                try unnamed
                ?? FileAppender(opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL, for: path)
            appender.lock()
            if let mode { try appender.setMode(mode & 0o7777) }
            try body(appender)
            try appender.synchronize()
            // A new file takes its name at once. One that replaces another takes the temporary name for a moment.
            if try mode != nil || unnamed?.link(as: target) != true {
                try willReplace()
                try unnamed?.link(as: temporary)
                guard rename(temporary, target) == 0 else {
                    throw FileWriteError(code: errno, path: path, action: "give the finished file its name")
                }
            }
        } catch {
            unlink(temporary)
            throw error
        }
        // The lock held until the file had its name. All of it is on the disk, so closing it can lose nothing.
        try? appender.close()
        try names.synchronize()
    }

    /// Tries whether the file at `path` can be written; leaves nothing behind, also nothing of killed processes.
    /// - Throws: ``FileWriteError`` naming the file and the reason.
    package static func requireWritable(_ path: String) throws {
        let mode = try mode(of: path)
        if let mode, mode & S_IFMT != S_IFREG { return }
        removeAbandoned(for: path)
        let temporary = try temporaryFile(for: mode == nil ? path : resolved(path))
        let appender = try FileAppender(opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL, for: path)
        defer { unlink(temporary) }
        try appender.close()
    }

    /// The mode of what is at `path`; nil if nothing is there.
    /// - Throws: ``FileWriteError`` for a folder.
    private static func mode(of path: String) throws(FileWriteError) -> mode_t? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw FileWriteError(code: EISDIR, path: path, action: "write")
        }
        return status.st_mode
    }

    /// The name of a new temporary file beside `target`.
    /// - Throws: ``FileWriteError`` for a link to nothing, which renaming would replace.
    private static func temporaryFile(for target: String) throws -> String {
        var status = stat()
        if lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            throw FileWriteError(code: ENOENT, path: target, action: "follow the link")
        }
        let number = counter.add(1, ordering: .relaxed).newValue
        return
            "\(SyncedFolder.parent(of: target))/\(temporaryPrefix(of: target))\(getpid()).\(number)\(temporarySuffix)"
    }

    /// Removes the temporary files for `path` that no process writes any longer; returns their number.
    @discardableResult
    package static func removeAbandoned(for path: String) -> Int {
        let target = resolved(path)
        let folder = SyncedFolder.parent(of: target)
        let prefix = temporaryPrefix(of: target)
        var count = 0
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard name.hasPrefix(prefix), name.hasSuffix(temporarySuffix), name.count > prefix.count + 5,
                name.dropFirst(prefix.count).dropLast(5).allSatisfy({ $0 == "." || $0.isNumber })
            else { continue }
            let path = "\(folder)/\(name)"
            guard let lock = try? FileLock(path, flags: O_RDWR | O_NOFOLLOW) else { continue }
            withExtendedLifetime(lock) { if unlink(path) == 0 { count += 1 } }
        }
        return count
    }

    private static let temporarySuffix = ".part"

    /// A long name is cut, so that the temporary name is no longer than names may be.
    private static func temporaryPrefix(of target: String) -> String {
        let name = target.split(separator: "/").last ?? "file"
        guard name.utf8.count > 200 else { return ".\(name)." }
        return ".\(name.prefix(40))."
    }

    private static let counter = Atomic<UInt64>(0)

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
