import Foundation

/// Where a result goes: the file named, or a file of a given name in the folder named.
enum OutputPath {
    /// The path of the file to write; `output` may be a folder, and nil means the current one.
    static func file(_ output: String?, named name: String, extension fileExtension: String) -> String {
        let fileName = "\(name).\(fileExtension)"
        guard let output else { return fileName }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), isFolder.boolValue
        else {
            return output
        }
        return (output.hasSuffix("/") ? output : output + "/") + fileName
    }

    /// The name of a file or folder, without folders before it and without extension.
    static func stem(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }
}
