extension EpisodeFindings {
    /// A passage that two files share.
    package struct Passage: Sendable, Equatable {
        /// The files, by their place in the list; the first is the smaller.
        package var first: Int
        /// See `first`.
        package var second: Int
        /// Where it lies in the first, in seconds.
        package var firstSeconds: Range<Double>
        /// Where it lies in the second, in seconds.
        package var secondSeconds: Range<Double>
        /// Seconds of the second per second of the first − 1: other than 0 where one is played faster.
        package var timeSkew: Double
        /// The correlation of the waveforms there, below 4 kHz, −1…1.
        package var correlation: Double

        package init(
            first: Int, second: Int, firstSeconds: Range<Double>, secondSeconds: Range<Double>,
            timeSkew: Double,
            correlation: Double
        ) {
            self.first = first
            self.second = second
            self.firstSeconds = firstSeconds
            self.secondSeconds = secondSeconds
            self.timeSkew = timeSkew
            self.correlation = correlation
        }

        /// The passages of two files that stand for themselves, in their order.
        ///
        /// A window at the end of a long passage holds what comes after it too, and may be taken for a short one
        /// that is played a little faster: what longer ones leave less than `shortestSeconds` of in both files is
        /// none.
        package static func distinct(_ passages: [Passage], shortestSeconds: Double) -> [Passage] {
            passages.filter { passage in
                guard passage.firstSeconds.length >= shortestSeconds else { return false }
                return !passages.contains { longer in
                    longer.firstSeconds.length > passage.firstSeconds.length
                        && rest(passage.firstSeconds, beside: longer.firstSeconds) < shortestSeconds
                        && rest(passage.secondSeconds, beside: longer.secondSeconds) < shortestSeconds
                }
            }
        }

        private static func rest(_ span: Range<Double>, beside other: Range<Double>) -> Double {
            span.length - span.overlap(other)
        }
    }
}
