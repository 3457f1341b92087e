import Foundation
import SystemIO

extension CorpusRecipe {
    /// Recordings of one's own that are shorter are not used, in seconds, unless a recipe says otherwise.
    package static let leastFolderSeconds = 8.0

    /// All audio files under the folder at `path`.
    package init(folder path: String, minimumSeconds: Double = leastFolderSeconds) {
        let last = URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
        // The name goes into names of folders and columns of tables, whatever the folder is called.
        let short = slug(last).prefix(40)
        self.init(
            name: short.isEmpty ? "folder" : "folder-\(short)", description: "The recordings in \(path).",
            licence: "the owner's", minimumSeconds: minimumSeconds,
            source: .folder(Folder(path: path, files: [])))
    }
}

extension CorpusRecipe.Folder {
    package static let package = "folder"

    /// What the file at `path`, relative to the folder, is for; nil when no pattern takes it.
    package func role(of path: String) -> CorpusRole? {
        files.isEmpty ? .reference : files.first { $0.glob.matches(path) }?.role
    }
}
