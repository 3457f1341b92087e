extension EpisodeFindings {
    /// A passage that two files share.
    package struct Passage: Sendable, Equatable {
        /// The index of one file, smaller than ``second``.
        package var first: Int
        /// The index of the other file.
        package var second: Int
        /// The range in the first file, in seconds.
        package var firstSeconds: Range<Double>
        /// The range in the second file, in seconds.
        package var secondSeconds: Range<Double>
        /// Seconds of the second file per second of the first, minus 1.
        package var timeSkew: Double
        /// The correlation of the waveforms below 4 kHz, −1…1.
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

        /// The passages of two files without artefacts of longer passages, in their order.
        ///
        /// A window at the end of a long passage also contains the audio after it. A matcher may take it for a short
        /// passage at a slightly higher speed. So a passage is left out if less than `shortestSeconds` of it is
        /// outside a longer one, in both files.
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
