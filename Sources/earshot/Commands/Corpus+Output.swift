import ArgumentParser
import Corpora
import Foundation

extension Corpus {
    /// Throws when results would be written among recordings of one's own.
    func requireOutside(_ output: String) throws {
        guard let folder = recipe.folder else { return }
        let inner = URL(fileURLWithPath: output).standardizedFileURL.resolvingSymlinksInPath().path + "/"
        let outer = URL(fileURLWithPath: folder.path).standardizedFileURL.resolvingSymlinksInPath().path + "/"
        if inner.hasPrefix(outer) {
            throw ValidationError(
                "results would go to \(output), into the folder of recordings; name another place with --output"
            )
        }
    }
}
