import Fingerprinting

/// The spectral peaks of a piece of audio.
///
/// The audio cannot be restored from them. Signatures are equal if their peaks and durations are.
public final class SHSignature: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// Signatures made here keep all peaks that a query can use.
    package let signature: Signature

    package init(_ signature: Signature) { self.signature = signature }

    /// Reads the bytes of a signature or a `.earsignature` file.
    /// - Throws: `SHError` 200, naming the byte, if they are no signature; also if its analysis settings
    ///   differ.
    public init(dataRepresentation: Data) throws {
        signature = try SHError.mapping(to: .signatureInvalid) {
            try Signature(encoded: [UInt8](dataRepresentation), name: "signature")
        }
        guard signature.analysisIdentity == Settings().analysis.identity else {
            throw SHError(
                .signatureInvalid,
                message: "the signature has other analysis settings; make it again from the audio")
        }
    }

    /// The signature as bytes in the format of `.earsignature` files.
    public var dataRepresentation: Data { Data(signature.encoded()) }

    /// The length of the audio in seconds, silence included.
    public var duration: TimeInterval { signature.durationSeconds }

    /// Compares peaks and durations.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHSignature else { return false }
        return self === other || signature == other.signature
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(signature.frameCount)
        hasher.combine(signature.peaks.count)
        hasher.combine(signature.peaks.first)
        return hasher.finalize()
    }

    /// Returns the signature itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override var description: String {
        "SHSignature(\(duration) s, \(signature.peaks.count) peaks)"
    }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Adds the signature to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(dataRepresentation as NSData, forKey: Self.dataKey)
    }

    /// Reads a signature from an archive; nil if it has none.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.dataKey) as Data? else {
            return nil
        }
        do { try self.init(dataRepresentation: data) } catch { return nil }
    }

    private static let dataKey = "data"
}

extension SHSignature {
    /// Divides the signature into slices of `duration` seconds.
    ///
    /// A shorter remainder is dropped. A slice's match offset counts from the slice's start, rounded to 0.5
    /// ms.
    ///
    /// - Parameters:
    ///   - start: The start of the first slice in seconds, 0 or more.
    ///   - duration: The length of each slice in seconds, more than 0.
    ///   - stride: The distance between starts in seconds, more than 0; nil for `duration`.
    /// - Throws: `SHError` 201 if an argument is out of range or no slice fits.
    public func slices(
        from start: TimeInterval, duration: TimeInterval, stride: TimeInterval? = nil
    ) throws -> Slices {
        let stride = stride ?? duration
        for (name, value, allowed, isAllowed) in [
            ("start", start, "0 or more", start >= 0), ("duration", duration, "more than 0", duration > 0),
            ("stride", stride, "more than 0", stride > 0),
        ] where !isAllowed || !value.isFinite {
            throw SHError(
                .signatureDurationInvalid,
                message: "the \(name) of slices must be \(allowed) seconds, found \(value)")
        }
        let slices = Slices(signature: signature, start: start, duration: duration, stride: stride)
        guard slices.fits(start) else {
            throw SHError(
                .signatureDurationInvalid,
                message:
                    "a slice of \(duration) s from \(start) s does not fit into a signature of \(self.duration) s"
            )
        }
        return slices
    }

    /// The slices of a signature, made on demand.
    public struct Slices: AsyncSequence, Sendable {
        /// A slice.
        public typealias Element = SHSignature

        let signature: Signature
        let start: TimeInterval
        let duration: TimeInterval
        let stride: TimeInterval

        /// Allows an excess of one time unit, 0.5 ms.
        func fits(_ start: TimeInterval) -> Bool {
            start + duration <= signature.durationSeconds + Signature.timeUnit
        }

        /// Makes an iterator at the first slice.
        public func makeAsyncIterator() -> Iterator { Iterator(slices: self) }

        /// An iterator over slices.
        public struct Iterator: AsyncIteratorProtocol {
            private let slices: Slices
            private var number = 0.0

            init(slices: Slices) { self.slices = slices }

            /// The next slice; nil at the end.
            /// - Throws: `CancellationError` if the task was cancelled.
            public mutating func next() async throws -> SHSignature? {
                try Task.checkCancellation()
                let start = slices.start + number * slices.stride
                guard slices.fits(start) else { return nil }
                number += 1
                return SHSignature(
                    slices.signature.slice(fromSeconds: start, durationSeconds: slices.duration))
            }
        }
    }
}
