import ArgumentParser
import SystemIO

/// How much a command says of the files in folders.
struct FolderSearchOptions: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "List the files of folders that are skipped, and the references that are made.")
    var verbose = false

    /// Warns of what the search of a folder passed over.
    func note(_ leftOut: [FolderListing.LeftOut]) {
        guard let line = leftOut.line else { return }
        guard verbose, leftOut.hasMore else {
            return StandardError.warn(line + (leftOut.hasMore ? ", which --verbose names" : ""))
        }
        StandardError.warn("\(leftOut.count) files left out:")
        for file in leftOut { StandardError.print("  \(file)") }
    }
}
