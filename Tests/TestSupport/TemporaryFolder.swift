import Glibc

/// A new empty folder that is removed with its contents when it is deallocated.
public final class TemporaryFolder {
    /// The path, without a slash at the end.
    public let path: String

    /// Makes the folder.
    public init() throws {
        var template = Array("/tmp/earshot-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TemporaryFolderError(code: errno) }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        Self.removeTree(path)
    }

    /// The path of `name` in the folder.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder `name` in the folder and returns its path.
    public func makeFolder(_ name: String) throws -> String {
        guard mkdir(file(name), 0o755) == 0 else { throw TemporaryFolderError(code: errno) }
        return file(name)
    }

    /// The names in the folder, hidden ones included, sorted.
    public func names() -> [String] { Self.names(in: path) }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func removeTree(_ path: String) {
        // The first try removes a link or a file, but a folder only if it is empty.
        guard unlink(path) != 0 else { return }
        for name in names(in: path) { removeTree("\(path)/\(name)") }
        rmdir(path)
    }
}

/// A temporary folder that could not be made.
public struct TemporaryFolderError: Error, CustomStringConvertible {
    let code: Int32
    /// What went wrong.
    public var description: String { "cannot make a temporary folder: \(String(cString: strerror(code)))" }
}
