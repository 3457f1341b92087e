import EarshotKit
import Fingerprinting
import Foundation

/// A reference from a client, checked: it can be kept and searched.
struct UploadedReference {
    private static let longestID = 1000

    let reference: Reference

    /// Reads the body of a request.
    init(_ body: [UInt8], id: String) throws(CatalogFault) {
        guard !id.isEmpty, id.utf8.count <= Self.longestID else {
            throw CatalogFault(
                .badRequest, "the identifier has \(id.utf8.count) bytes",
                remedy: "It has 1 to \(Self.longestID).")
        }
        let upload: ReferenceUpload
        do { upload = try JSONDecoder().decode(ReferenceUpload.self, from: Data(body)) } catch {
            throw CatalogFault(
                .badRequest, "the body is no upload: \(error)".prefix(400).description,
                remedy: "The schema Upload of openapi.yaml describes it.")
        }
        let signature: Signature
        do { signature = try Signature(encoded: [UInt8](upload.signature), name: "the signature") } catch {
            throw CatalogFault(
                .signatureInvalid, "\(error)", remedy: "Send the bytes of a signature file in base 64.")
        }
        try QuerySignature.requireAnalysis(of: signature)
        try QuerySignature.requirePeaks(of: signature, named: "signature")
        do throws(CatalogEditError) {
            reference = Reference(id: id, mediaItem: try upload.mediaItem(), signature: signature)
        } catch { throw CatalogFault(.badRequest, "\(error)", remedy: "Send fewer media items.") }
        // What cannot be indexed or stored by itself must not get among the others.
        do {
            _ = try reference.mediaItem.encoded()
            _ = try Catalog(references: [reference])
        } catch {
            throw CatalogFault(
                .signatureInvalid, "\(error)", remedy: "Send a signature that can be a reference.")
        }
    }
}
