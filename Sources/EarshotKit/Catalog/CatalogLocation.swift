/// The file that the URL of a catalog means.
struct CatalogLocation {
    /// What a catalog is called in a folder.
    static let nameInFolder = "Signatures.shazamcatalog"

    /// The path of the file.
    let path: String

    /// Takes the URL of a file, or of a folder that there is.
    ///
    /// - Throws: `SHError` 301 when it is not a file's URL.
    init(_ url: URL) throws {
        guard url.isFileURL else {
            throw SHError(
                .customCatalogInvalidURL,
                message: "\(url.absoluteString): not the URL of a file (file:///…)")
        }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        path = exists && isFolder.boolValue ? url.appendingPathComponent(Self.nameInFolder).path : url.path
    }
}
