import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// References that begin alike and go on differently.
@Suite struct SharedIntroTests {
    private static let intro = ScoreSong(seed: 900, seconds: 12).render()
    private static let count = 12

    private static let episodes = (0..<count).map { number in
        let body = ScoreSong(seed: UInt64(number), seconds: 8).render()
        return AudioBuffer(samples: intro.mono() + body.mono(), sampleRate: intro.sampleRate)
    }

    private static func catalog() throws -> Catalog {
        try Catalog(
            references: episodes.enumerated().map { number, audio in
                Reference(id: "e\(number)", signature: try SignatureExtractor.signature(of: audio))
            })
    }

    private static func query(_ episode: Int, from start: Double, seconds: Double) -> AudioBuffer {
        let audio = episodes[episode]
        let first = Int(start * Double(audio.sampleRate))
        return audio.frames(first..<(first + Int(seconds * Double(audio.sampleRate))))
    }

    @Test func withinTheIntroAllAreNamedAndNothingSpeaksAgainstAny() throws {
        let catalog = try Self.catalog()
        let query = Self.query(3, from: 4, seconds: 5)
        #expect(try catalog.match(query: query).count == 10)
        #expect(try catalog.match(query: query).allSatisfy { $0.deficit == nil })
        let all = try catalog.match(query: query, most: 20)
        #expect(Set(all.filter(\.isAccepted).map(\.referenceID)).count == Self.count)
        #expect(all.first?.deficit == nil)
        // Chance agreements of a few peaks, which tests of real music put below 4.
        #expect(all.dropFirst().filter(\.isAccepted).allSatisfy { ($0.deficit ?? 99) < 4 })
    }

    @Test(arguments: [0, 5, 11])
    func afterItOneIsFirstAndMuchSpeaksAgainstTheOthers(_ episode: Int) throws {
        let catalog = try Self.catalog()
        let matches = try catalog.match(query: Self.query(episode, from: 8, seconds: 5), most: 20)
        #expect(matches.first?.referenceID == "e\(episode)")
        #expect(matches.count >= Self.count)
        #expect(matches.dropFirst().allSatisfy { ($0.deficit ?? 0) > 8 })
    }
}
