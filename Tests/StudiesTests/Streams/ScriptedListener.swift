import AudioCore
import Matchers

/// A matcher with the same answers at the same times for every stream, for figures worked out by hand.
final class ScriptedListener: Matcher {
    let name = "scripted"
    let version = "1"
    let settings: [String: String] = [:]
    /// The answers by elapsed seconds, repeated every `period` seconds.
    let script: [StreamedEvent]
    let period: Double

    init(script: [StreamedEvent], period: Double = .infinity) {
        self.script = script
        self.period = period
    }

    func enrol(id: String, audio: AudioBuffer) {}
    func finishEnrolment() -> Int? { nil }
    func identify(_ query: Query) -> [Candidate] { [] }

    var powers: MatcherPowers {
        MatcherPowers(startStream: { [script, period] sampleRate, _ in
            Stream(script: script, period: period, sampleRate: sampleRate)
        })
    }

    private struct Stream: MatcherStream {
        let script: [StreamedEvent]
        let period: Double
        let sampleRate: Int
        var frames = 0

        mutating func append(_ block: AudioBuffer) -> [StreamedEvent] {
            let before = Double(frames) / Double(sampleRate)
            frames += block.frameCount
            let now = Double(frames) / Double(sampleRate)
            let turns = period.isFinite ? Int(before / period)...Int(now / period) : 0...0
            return turns.flatMap { turn in
                script.compactMap { event in
                    var event = event
                    if turn > 0 { event.elapsedSeconds += Double(turn) * period }
                    return event.elapsedSeconds > before && event.elapsedSeconds <= now ? event : nil
                }
            }
        }
    }
}

extension StreamedEvent {
    /// An event that names one reference, or none.
    static func at(
        _ seconds: Double, _ reference: String?, position: Double = 0, kind: Kind? = nil
    ) -> StreamedEvent {
        StreamedEvent(
            kind: kind ?? (reference == nil ? .nothing : .named), elapsedSeconds: seconds, sinceSeconds: 0,
            answers: reference.map { [StreamedAnswer(referenceID: $0, referenceSeconds: position, score: 9)] }
                ?? [])
    }
}
