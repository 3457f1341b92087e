import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

extension CustomCatalogCommand {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the signature and the media items of each reference to a folder",
            discussion: """
                For each reference there is a signature (.earsignature) and a table (.csv), named by its identifier. \
                These make the catalog again:

                  earshot custom-catalog create -s FOLDER -m FOLDER -o CATALOG

                Where identifiers hold slashes there are folders in the folder, and --ids relative-path is needed.
                """)

        @OptionGroup var catalog: CatalogInput

        @Option(name: .shortAndLong, help: "The folder to write to; it is made if there is none.")
        var output: String

        @Flag(name: .shortAndLong, help: "List the files.")
        var verbose = false

        func run() throws {
            let catalog = try CatalogFile.open(self.catalog.path)
            let places = catalog.entries.indices
            // All names first: nothing is written when one will not do.
            let stems = try places.map { try Self.stem(for: try catalog.entry(at: $0).id, in: output) }
            for (place, stem) in zip(places, stems) {
                let entry = try catalog.entry(at: place)
                try FileManager.default.createDirectory(
                    atPath: (stem as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                let files = (stem + "." + Signature.fileExtension, stem + ".csv")
                try catalog.signature(at: place).write(to: files.0)
                try MediaItemTable(entry.mediaItem.items(ofReference: entry.id)).write(to: files.1)
                if verbose { StandardError.print("\(files.0)\n\(files.1)") }
            }
            try CatalogFile.verify(catalog)
            StandardError.print("\(output): \(places.count.counting("reference"))")
        }

        /// The path of a reference's files without extension.
        private static func stem(for id: String, in folder: String) throws -> String {
            let parts = id.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else {
                throw CatalogEditError(
                    description: "the identifier \"\(id)\" cannot be the name of a file; nothing was written")
            }
            return (folder.hasSuffix("/") ? folder : folder + "/") + id
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check every block of a catalog and everything its parts must agree on",
            discussion: "The exit code is 0 when all is well, 1 with the place of the first damage otherwise."
        )

        @OptionGroup var catalog: CatalogInput

        func run() throws {
            let sound = try CatalogFile.verify(catalog.path)
            try StandardOutput.print(
                "\(catalog.path): sound, \(sound.entries.count.counting("reference")),"
                    + " \(EnrolmentOptions.hours(sound.hours)) hours")
        }
    }
}
