import AudioCore
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Synchronization
import SystemIO
import TestSupport
import Testing

@Suite struct KeptDigestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var files: [String] {
        (try? FileTree.regularFiles(under: folder.path)) ?? []
    }

    private func digest(_ contestant: Contestant) throws -> String {
        try contestant.answersDigest(keptIn: folder.path)
    }

    /// Counts its queries, and answers with a score.
    private final class CountingMatcher: Matcher {
        let name = "counting"
        let version = "1"
        let settings: [String: String]
        private let score: Double
        private let asked: Count

        final class Count: Sendable {
            let value = Atomic(0)
        }

        init(score: Double, setting: String, _ asked: Count) {
            self.score = score
            settings = ["setting": setting]
            self.asked = asked
        }

        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] {
            asked.value.add(1, ordering: .relaxed)
            return [Candidate(referenceID: "r", offsetSeconds: 0, score: score, isAccepted: true)]
        }
    }

    private func contestant(
        _ asked: CountingMatcher.Count, score: Double = 1, setting: String = "a",
        isDecidedByCode: Bool = true,
        codeFiles: [String] = [Contestant.ownProgram]
    ) -> Contestant {
        Contestant(
            name: "counting", summary: "", codeFiles: codeFiles, isDecidedByCode: isDecidedByCode
        ) { CountingMatcher(score: score, setting: setting, asked) }
    }

    @Test func aKnownDigestIsNotMadeAgain() throws {
        let asked = CountingMatcher.Count()
        let first = try digest(contestant(asked))
        #expect(asked.value.load(ordering: .relaxed) == 64)
        #expect(try digest(contestant(asked)) == first && asked.value.load(ordering: .relaxed) == 64)
        #expect(try contestant(asked).answersDigest(keptIn: nil) == first)
        #expect(asked.value.load(ordering: .relaxed) == 128, "without a cache it is made again")
        #expect(files.count == 1)
    }

    @Test func otherSettingsAndOtherCodeHaveOtherDigests() throws {
        let asked = CountingMatcher.Count()
        let code = folder.file("code")
        let kept = try folder.makeFolder("kept")
        var digests: [String] = []
        for (text, setting, score) in [("1", "a", 1.0), ("1", "b", 1), ("2", "b", 2)] {
            try text.write(toFile: code, atomically: true, encoding: .utf8)
            let contestant = contestant(asked, score: score, setting: setting, codeFiles: [code])
            digests.append(try contestant.answersDigest(keptIn: kept))
        }
        #expect(Set(digests).count == 3 && asked.value.load(ordering: .relaxed) == 3 * 64)
        #expect(try FileTree.regularFiles(under: kept).count == 3)
    }

    /// A matcher that reads other files, or asks another process, may answer otherwise at any time.
    @Test func nothingIsKeptOfAMatcherThatCodeDoesNotDecide() throws {
        let asked = CountingMatcher.Count()
        let digests = try [1.0, 2].map { try digest(contestant(asked, score: $0, isDecidedByCode: false)) }
        #expect(digests[0] != digests[1] && files.isEmpty)
        #expect(try !Contestants.external(ExternalCommand("cat")).isDecidedByCode)
    }

    @Test func aDamagedFileCountsAsMissing() throws {
        let asked = CountingMatcher.Count()
        let first = try digest(contestant(asked))
        let path = folder.file(try #require(files.first))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var rounds = 1
        for place in [0, 40, 64, 70, whole.count - 1, -1] {
            var damaged = whole
            if place < 0 { damaged = Data() } else { damaged[place] ^= 1 }
            try damaged.write(to: URL(fileURLWithPath: path))
            #expect(try digest(contestant(asked)) == first)
            rounds += 1
            #expect(asked.value.load(ordering: .relaxed) == rounds * 64, "byte \(place)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
        }
    }

    @Test func anUnwritableFolderIsNoError() throws {
        let asked = CountingMatcher.Count()
        let digests = try (0..<2).map { _ in try contestant(asked).answersDigest(keptIn: "/dev/null/none") }
        #expect(digests[0] == digests[1] && asked.value.load(ordering: .relaxed) == 128)
    }
}
