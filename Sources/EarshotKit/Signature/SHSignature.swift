import Fingerprinting

/// What is kept of audio to recognise it by: its spectral peaks.
///
/// The audio cannot be restored from it.
///
/// Signatures are equal when their peaks and lengths are.
public final class SHSignature: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The engine's signature; those made here keep all the peaks that a query can use.
    package let signature: Signature

    /// Takes the engine's signature.
    package init(_ signature: Signature) { self.signature = signature }

    /// Reads the bytes of a signature, as `dataRepresentation` or a `.earsignature` file has them.
    ///
    /// - Throws: `SHError` 200 when they are not a signature, naming the byte, or one that cannot be compared with those
    ///   made here.
    public init(dataRepresentation: Data) throws {
        signature = try SHError.mapping(to: .signatureInvalid) {
            try Signature(encoded: [UInt8](dataRepresentation), name: "signature")
        }
        guard signature.analysisIdentity == Settings().analysis.identity else {
            throw SHError(
                .signatureInvalid,
                message: "the signature was made with other settings of analysis; make it anew from the audio"
            )
        }
    }

    /// The bytes of the signature, to store or to send: those of a `.earsignature` file.
    public var dataRepresentation: Data { Data(signature.encoded()) }

    /// The length of the audio in seconds, silence included.
    public var duration: TimeInterval { signature.durationSeconds }

    /// Whether the other object is a signature with the same peaks and length.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHSignature else { return false }
        return self === other || signature == other.signature
    }

    /// A hash of length, number of peaks and the first of them.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(signature.frameCount)
        hasher.combine(signature.peaks.count)
        hasher.combine(signature.peaks.first)
        return hasher.finalize()
    }

    /// The signature itself, for it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The length and the number of peaks.
    public override var description: String {
        "SHSignature(\(duration) s, \(signature.peaks.count) peaks)"
    }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Adds the signature to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(dataRepresentation as NSData, forKey: Self.dataKey)
    }

    /// Reads a signature from an archive; nil when the archive holds none.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.dataKey) as Data? else {
            return nil
        }
        do { try self.init(dataRepresentation: data) } catch { return nil }
    }

    private static let dataKey = "data"
}
