import AudioCore
import Matchers

/// The ceiling: a control that knows the truth.
///
/// Its recall must be 1 everywhere.
final class OracleMatcher: Control {
    let name = "oracle"

    var powers: MatcherPowers {
        MatcherPowers(
            control: { _, references, truth in
                guard let truth, let reference = references.first else { return [] }
                return [
                    Candidate(
                        referenceID: reference, offsetSeconds: truth.offsetSeconds ?? 0,
                        frequencySkew: truth.frequencySkew, timeSkew: truth.timeSkew, score: 1,
                        confidence: 1, isAccepted: true)
                ]
            }, passageControl: { truth, sampleRate in ToldPassages(truth: truth, sampleRate: sampleRate) })
    }

    /// States each true passage when it has ended.
    private struct ToldPassages: PassageStream {
        private var waiting: [Passage]
        private var frameCount = 0
        private let sampleRate: Int

        init(truth: [Passage], sampleRate: Int) {
            // The next one is the last.
            waiting = truth.sorted { $0.queryRange.upperBound > $1.queryRange.upperBound }
            self.sampleRate = sampleRate
        }

        mutating func append(_ block: AudioBuffer) -> [Passage] {
            frameCount += block.frameCount
            let now = Double(frameCount) / Double(sampleRate)
            var sure: [Passage] = []
            while let next = waiting.last, next.queryRange.upperBound <= now {
                sure.append(waiting.removeLast())
            }
            return sure
        }

        mutating func finish() -> [Passage] {
            defer { waiting = [] }
            return waiting.reversed()
        }
    }
}
