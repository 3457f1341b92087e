import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation

extension CustomCatalogCommand {
    struct Display: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the references of a catalog",
            discussion: """
                One line for each reference, in the catalog's order: identifier, title, duration, number of peaks, and \
                the bytes that it takes in the file without its share of the index; under it a line for each of its \
                media items: identifier, and properties as in tables. With --json one object with the members \
                references, hours, bytes and indexBytes.
                """)

        @OptionGroup var catalog: CatalogInput

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let catalog = try CatalogFile.open(self.catalog.path)
            let listing = try CatalogListing(catalog)
            try StandardOutput.print(json ? listing.json() : listing.table)
        }
    }
}
