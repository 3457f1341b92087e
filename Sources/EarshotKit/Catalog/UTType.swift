/// The type of a file, as far as programs for catalogs and signatures need it.
///
/// Linux has no registry of types.
public struct UTType: Hashable, Sendable {
    /// The identifier.
    public let identifier: String
    /// The extension of file names, without the dot.
    public let preferredFilenameExtension: String?

    /// A signature file.
    public static let shazamSignature = UTType(
        identifier: "com.apple.shazamsignature", preferredFilenameExtension: "shazamsignature")
    /// A catalog file.
    public static let shazamCustomCatalog = UTType(
        identifier: "com.apple.shazamcustomcatalog", preferredFilenameExtension: "shazamcatalog")
}
