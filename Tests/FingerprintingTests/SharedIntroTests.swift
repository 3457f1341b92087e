import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// References that share an intro and then differ.
@Suite struct SharedIntroTests {
    private static let intro = ScoreSong(seed: 900, seconds: 12).render()
    private static let count = 12

    private static let episodes = (0..<count).map { number in
        let body = ScoreSong(seed: UInt64(number), seconds: 8).render()
        return AudioBuffer(samples: intro.mono() + body.mono(), sampleRate: intro.sampleRate)
    }

    private static func catalog(_ episodes: [AudioBuffer] = episodes) throws -> Catalog {
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
        #expect(try catalog.match(query: query).allSatisfy { $0.logLikelihoodDeficit == nil })
        let all = try catalog.match(query: query, most: 20)
        #expect(Set(all.filter(\.isAccepted).map(\.referenceID)).count == Self.count)
        #expect(all.first?.logLikelihoodDeficit == nil)
        // Chance agreements of a few peaks give less than 4 in real music.
        #expect(all.dropFirst().filter(\.isAccepted).allSatisfy { ($0.logLikelihoodDeficit ?? 99) < 4 })
    }

    @Test func allAreFoundHoweverManyShareTheIntro() throws {
        let catalog = try Self.catalog()
        let all = try catalog.matchAll(query: Self.query(3, from: 4, seconds: 5))
        #expect(all.prefix(Self.count).allSatisfy { $0.isAccepted })
        #expect(Set(all.filter(\.isAccepted).map(\.referenceID)).count == Self.count)
        let after = try catalog.matchAll(query: Self.query(3, from: 8, seconds: 5))
        #expect(after.filter(\.isAccepted).map(\.referenceID) == ["e3"])
    }

    /// At every level of noise, references that match as well as the first are accepted with it, or none is.
    @Test func inNoiseTheThresholdDoesNotTellEpisodesApart() throws {
        // They start at different places between the frames, so that noise affects them differently.
        let catalog = try Self.catalog(
            Self.episodes.enumerated().map { number, audio in
                AudioBuffer(
                    samples: audio.mono().suffix(number * 113) + audio.mono(), sampleRate: audio.sampleRate)
            })
        var namedBelowThreshold = 0
        for start in [1.0, 4, 6] {
            let audio = Self.query(0, from: start, seconds: 3)
            let samples = audio.mono()
            let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
            for step in 0..<108 {
                let noise = TestSignals.noise(
                    seed: UInt64(step), amplitude: (power * pow(2, Double(step) / 9)).squareRoot(),
                    seconds: 3, sampleRate: audio.sampleRate
                ).mono()
                let query = AudioBuffer(
                    samples: zip(samples, noise).map { $0 + $1 }, sampleRate: audio.sampleRate)
                let matches = try catalog.match(query: query, most: 20)
                let isFound = matches.first?.isAccepted ?? false
                for match in matches.dropFirst() {
                    let reaches = match.score >= catalog.threshold
                    if (match.logLikelihoodDeficit ?? 99) < 4 { #expect(match.isAccepted == isFound) }
                    if (match.logLikelihoodDeficit ?? 0) > 6 { #expect(match.isAccepted == reaches) }
                    if match.isAccepted, !reaches { namedBelowThreshold += 1 }
                }
            }
        }
        #expect(namedBelowThreshold > 0)
    }

    @Test(arguments: [0, 5, 11])
    func afterItOneIsFirstAndMuchSpeaksAgainstTheOthers(_ episode: Int) throws {
        let catalog = try Self.catalog()
        let matches = try catalog.match(query: Self.query(episode, from: 8, seconds: 5), most: 20)
        #expect(matches.first?.referenceID == "e\(episode)")
        #expect(matches.count >= Self.count)
        #expect(matches.dropFirst().allSatisfy { ($0.logLikelihoodDeficit ?? 0) > 8 })
    }
}
