import Fingerprinting

extension SHSignature {
    /// Cuts the signature into parts of `duration` seconds, one every `stride` seconds from `start` on.
    ///
    /// Parts are whole: what is left at the end and shorter than `duration` is no part. A part's match offset counts from
    /// its own start, which is rounded to 0.5 ms.
    ///
    /// - Parameters:
    ///   - start: where the first part begins, 0 or more.
    ///   - duration: the length of each part, more than 0.
    ///   - stride: from the start of one part to that of the next, more than 0; `duration` when nil.
    /// - Throws: `SHError` 201 when one of them is not as said, or not even one part fits.
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

    /// Parts of a signature, each made when it is asked for.
    public struct Slices: AsyncSequence, Sendable {
        /// A part.
        public typealias Element = SHSignature

        let signature: Signature
        let start: TimeInterval
        let duration: TimeInterval
        let stride: TimeInterval

        /// Whether the signature holds a whole part from `start` on; half a millisecond may be missing.
        func fits(_ start: TimeInterval) -> Bool {
            start + duration <= signature.durationSeconds + Signature.timeUnit
        }

        /// Starts with the first part.
        public func makeAsyncIterator() -> Iterator { Iterator(slices: self) }

        /// Goes from part to part.
        public struct Iterator: AsyncIteratorProtocol {
            private let slices: Slices
            private var number = 0.0

            init(slices: Slices) { self.slices = slices }

            /// The next part; nil when there are no more.
            ///
            /// - Throws: `CancellationError` when the task was cancelled.
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
