import Foundation
import SystemIO

/// A run folder in progress, beside its target; it takes the target's name when it is complete.
///
/// A killed process leaves `.NAME.merging-PROCESS` behind, which the next one for the same target removes.
package final class StagedFolder {
    package let path: String
    private let target: String
    private let lock: RunLock
    private var isPublished = false

    /// Makes the folder beside `target`, which must not exist or be empty.
    ///
    /// - Throws: ``MergeError`` when the target holds something, ``StoreError`` when nothing can be written there.
    package init(for target: String) throws {
        let url = URL(fileURLWithPath: target).standardizedFileURL
        self.target = url.path
        try Self.checkFree(url.path)
        let parent = url.deletingLastPathComponent().path
        let prefix = ".\(url.lastPathComponent).merging-"
        path = "\(parent)/\(prefix)\(getpid())"
        do {
            try SyncedFolder.make(parent)
            Self.removeAbandoned(in: parent, prefix: prefix)
            try SyncedFolder.make(path)
        } catch {
            throw StoreError(
                path: target, message: "cannot be made: \(String(cString: strerror(error.code)))")
        }
        lock = try RunLock(folder: path)
    }

    deinit {
        if !isPublished { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Gives the folder its name, in one step.
    ///
    /// No file in it may be open.
    package func publish() throws {
        try Self.checkFree(target)
        guard rename(path, target) == 0 else {
            throw StoreError(path: target, message: "cannot be made: \(String(cString: strerror(errno)))")
        }
        isPublished = true
        let parent = URL(fileURLWithPath: target).deletingLastPathComponent().path
        try SyncedFolder(parent, for: target).synchronize()
    }

    private static func checkFree(_ target: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: target, isDirectory: &isFolder) else { return }
        let names = try? FileManager.default.contentsOfDirectory(atPath: target)
        guard isFolder.boolValue, names?.isEmpty ?? false else {
            throw MergeError("\(target): already exists; name another folder, or remove it first")
        }
    }

    private static func removeAbandoned(in parent: String, prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = "\(parent)/\(name)"
            guard FileManager.default.fileExists(atPath: folder + "/" + RunLock.fileName) else {
                // A process that was killed before it made its lock leaves an empty folder.
                let process = pid_t(name.dropFirst(prefix.count))
                if let process, kill(process, 0) != 0, errno == ESRCH { rmdir(folder) }
                continue
            }
            // The lock in a folder lasts as long as its process.
            guard let lock = try? RunLock(folder: folder) else { continue }
            withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: folder) }
        }
    }
}
