import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

extension CustomCatalogCommand {
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove references or media items from a catalog",
            discussion: """
                `earshot custom-catalog display` shows the identifiers. A reference that loses media items stays, moves \
                to the end of the list, and its other items are numbered, and so identified, anew; it may be left with \
                none. An identifier that the catalog does not have is an error, and then nothing is changed.
                """)

        @OptionGroup var catalog: CatalogInput

        @Option(
            name: [.customShort("s"), .customLong("signature-id")], parsing: .upToNextOption,
            help: "Identifiers of references.")
        var references: [String] = []

        @Option(
            name: [.customShort("m"), .customLong("media-item-ids")], parsing: .upToNextOption,
            help: "Identifiers of media items, with commas between them.")
        var items: [String] = []

        @OptionGroup var target: CatalogOutput

        @Flag(name: .shortAndLong, help: "Say which references are changed.")
        var verbose = false

        func validate() throws {
            guard !references.isEmpty || !items.isEmpty else {
                throw ValidationError("Say what to remove with --signature-id or --media-item-ids.")
            }
            _ = try itemIDs()
        }

        private func itemIDs() throws -> Set<UUID> {
            Set(
                try items.flatMap { $0.split(separator: ",") }.map { text in
                    guard let id = UUID(uuidString: text.trimmingCharacters(in: .whitespaces)) else {
                        throw ValidationError("\"\(text)\" is no identifier of a media item")
                    }
                    return id
                })
        }

        func run() throws {
            let itemIDs = try itemIDs()
            let target = target.file(for: catalog.path)
            try CatalogFile.edit(
                catalog.path, to: target,
                willWait: { StandardError.print("\(catalog.path): waiting for another update to end") },
                change: { opened in
                    let added = try opened.references(
                        without: itemIDs, leavingOut: references, path: catalog.path)
                    if verbose {
                        for reference in added { StandardError.print("\(reference.id): loses media items") }
                        for reference in references { StandardError.print("\(reference): removed") }
                    }
                    return CatalogFile.Change(removing: Set(references), adding: added)
                })
            StandardError.print(
                "\(target ?? catalog.path): \(Set(references).count.counting("reference")) and "
                    + "\(itemIDs.count.counting("media item")) removed")
        }
    }
}
