import Foundation

extension Corpus {
    /// Throws ``OutputAmongRecordings`` when results would be written into the user's folder of recordings.
    public func requireOutside(_ output: String) throws {
        guard let folder = recipe.folder else { return }
        let inner = URL(fileURLWithPath: output).standardizedFileURL.resolvingSymlinksInPath().path + "/"
        let outer = URL(fileURLWithPath: folder.path).standardizedFileURL.resolvingSymlinksInPath().path + "/"
        if inner.hasPrefix(outer) { throw OutputAmongRecordings(output: output) }
    }
}

/// An output folder is within the folder of recordings.
package struct OutputAmongRecordings: Error, CustomStringConvertible, Sendable {
    package let output: String

    package var description: String { "results would go to \(output), into the folder of recordings" }
}
