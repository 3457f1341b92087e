import AudioCore
import Matchers

/// The floor: a contestant that never answers.
///
/// Its recall must be 0 everywhere.
final class NullMatcher: Matcher {
    let name = "null"
    let version = "1"
    let settings: [String: String] = [:]

    init() {}

    func enrol(id: String, audio: AudioBuffer) {}

    func finishEnrolment() -> Int? { 0 }

    func identify(_ query: Query) -> [Candidate] { [] }

    var powers: MatcherPowers { MatcherPowers(startPassages: { _, _ in Silence() }) }

    private struct Silence: PassageStream {
        func append(_ block: AudioBuffer) -> [Passage] { [] }
        func finish() -> [Passage] { [] }
    }
}
