// swift-format-ignore-file
import ShazamKit

enum ReferenceLibrary {
    static func makeCatalog(signatureAt url: URL) throws -> SHCustomCatalog {
        let reference = try SHSignature(dataRepresentation: Data(contentsOf: url))
        let item = SHMediaItem(properties: [.title: "Lesson 1", .subtitle: "Fractions", .artist: "Ms. Rivera",
                                            .genres: ["Education"], .explicitContent: false,
                                            .webURL: URL(string: "https://example.org/lesson1")!])
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(reference, representing: [item])
        return catalog
    }
}
