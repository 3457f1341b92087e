import AudioCore
import Corpora
import Evaluation
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite struct PreparedReferencesTests {
    /// Prepares the same value for every recording, under the same key for every type.
    private final class Typed<Value: Sendable>: Matcher {
        let name = "typed"
        let version = "1"
        let settings: [String: String] = [:]
        let value: Value
        let learned = Mutex((prepared: 0, audio: 0))

        init(_ value: Value) { self.value = value }

        var powers: MatcherPowers {
            MatcherPowers(
                preparation: .init(
                    key: "1", prepare: { _ in self.value },
                    enrol: { _, _ in self.learned.withLock { $0.prepared += 1 } }))
        }
        func enrol(id: String, audio: AudioBuffer) { learned.withLock { $0.audio += 1 } }
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] { [] }
    }

    @Test func valuesOfAnotherTypeAreNotShared() throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let tracks = Array(try Corpus.open(named: "synthetic", in: library).tracks.prefix(2))
        let decoded = Mutex(0)
        let references = PreparedReferences(jobs: 1, keepingKeys: 2) { _ in
            decoded.withLock { $0 += 1 }
            return AudioBuffer(silentFrames: 1, sampleRate: 8000, channelCount: 1)
        }
        let (number, other, text) = (Typed(1), Typed(2), Typed("1"))
        _ = try references.enrol(tracks, into: [(number, nil), (other, nil), (text, nil)])
        #expect(number.learned.withLock { $0 } == (2, 0))
        #expect(other.learned.withLock { $0 } == (2, 0))
        #expect(text.learned.withLock { $0 } == (0, 2))
        #expect(decoded.withLock { $0 } == 2)
        _ = try references.enrol(tracks, into: [(text, nil)])
        #expect(text.learned.withLock { $0 } == (2, 2))
        #expect(decoded.withLock { $0 } == 4)
        _ = try references.enrol(tracks, into: [(number, nil)])
        #expect(number.learned.withLock { $0 } == (4, 0))
        #expect(decoded.withLock { $0 } == 4)
    }
}
