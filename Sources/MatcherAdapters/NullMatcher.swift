import AudioCore
import Matchers

/// The floor: a contestant that never answers.
///
/// Its recall must be 0 everywhere.
final class NullMatcher: Control {
    let name = "null"

    var powers: MatcherPowers { MatcherPowers(startPassages: { _, _ in Silence() }) }

    private struct Silence: PassageStream {
        func append(_ block: AudioBuffer) -> [Passage] { [] }
        func finish() -> [Passage] { [] }
    }
}

/// A matcher that learns nothing: what it answers, its powers say.
protocol Control: Matcher {}

extension Control {
    var version: String { "1" }
    var settings: [String: String] { [:] }

    func enrol(id: String, audio: AudioBuffer) {}
    func finishEnrolment() -> Int? { 0 }
    func identify(_ query: Query) -> [Candidate] { [] }
}
