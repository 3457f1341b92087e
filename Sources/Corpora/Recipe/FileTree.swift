import Foundation

package enum FileTree {
    package static func createFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CorpusError(
                .unreadable, "\(path): the folder cannot be made: \(error.localizedDescription)")
        }
    }

    /// Removes a file or a whole folder, if it exists.
    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    package static func move(_ source: String, to target: String) throws {
        guard rename(source, target) == 0 else {
            throw CorpusError(
                .unreadable, "\(target): the file cannot be moved here: \(String(cString: strerror(errno)))")
        }
    }

    /// The paths of all regular files, no symbolic links, relative to `folder`, sorted.
    package static func regularFiles(under folder: String) throws -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else {
            throw CorpusError(.unreadable, "\(folder): the folder cannot be read")
        }
        var paths: [String] = []
        while let path = walk.nextObject() as? String {
            if walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular { paths.append(path) }
        }
        return paths.sorted()
    }
}
