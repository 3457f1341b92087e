// swift-format-ignore-file
import Foundation
import ShazamKit
import UniformTypeIdentifiers

// Joins the catalogs and signatures of a folder in one catalog.
func joined(_ folder: URL) throws -> (catalog: SHCustomCatalog, problems: [String]) {
    let whole = SHCustomCatalog()
    var problems: [String] = []
    for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
        guard let type = UTType(filenameExtension: url.pathExtension) else { continue }
        do {
            if type == .shazamCustomCatalog || type.identifier == "com.apple.shazamcatalog" {
                try whole.add(from: url)
            } else if type.conforms(to: .shazamSignature) {
                let signature = try SHSignature(dataRepresentation: Data(contentsOf: url))
                try whole.addReferenceSignature(signature, representing: [SHMediaItem(properties: [.title: url.deletingPathExtension().lastPathComponent])])
            }
        } catch SHError.customCatalogInvalid, SHError.customCatalogInvalidURL {
            problems.append("no catalog: \(url.path)")
        } catch let error as SHError where error.code == .signatureInvalid {
            problems.append("no signature: \(url.path)")
        }
    }
    try whole.dataRepresentation.write(to: folder.appendingPathComponent("all").appendingPathExtension(for: .shazamCustomCatalog))
    return (whole, problems)
}
