import AudioCore
import AudioIO
import Corpora
import Degradations
import EvaluationTestSupport
import MatcherAdapters
import Studies
import Testing

@Suite struct EpisodeSearchTests {
    private static let rate = 44_100

    private static func music(_ seed: UInt64, seconds: Double) -> AudioBuffer {
        let audio = SyntheticMusic(seed: seed, seconds: seconds + 1).render()
        return AudioBuffer(samples: audio.mono(), sampleRate: rate).frames(0..<Int(seconds * Double(rate)))
    }

    private static func joined(_ parts: [AudioBuffer]) -> AudioBuffer {
        AudioBuffer(samples: parts.flatMap(\.samples), sampleRate: rate)
    }

    private func search(_ files: [(id: String, audio: AudioBuffer?)]) throws -> EpisodeFindings {
        struct Unreadable: Error, CustomStringConvertible { let description = "no audio in it" }
        let search = EpisodeSearch(
            finder: Contestants.auditor(), listener: try Contestants.earshot.make(),
            margin: IntroDesign.usualMargin)
        return try search.run(
            files.map { file in
                .init(id: file.id) {
                    guard let audio = file.audio else { throw Unreadable() }
                    return audio
                }
            })
    }

    /// The end of the intro is softer, and something else in each file is louder, as a voice over it.
    @Test func anIntroUnderVoicesIsWhole() throws {
        let intro = Self.music(1, seconds: 14)
        let under = 9 * Self.rate
        let files = [2.0, 3.3, 9.7].enumerated().map { number, start in
            let seed = UInt64(10 * number + 20)
            let voice = Self.music(seed + 2, seconds: 14)
            let mixed = zip(intro.samples, voice.samples).enumerated().map { frame, sounds in
                frame < under ? sounds.0 : 0.5 * sounds.0 + 0.8 * sounds.1
            }
            let audio = Self.joined([
                Self.music(seed + 1, seconds: start), AudioBuffer(samples: mixed, sampleRate: Self.rate),
                Self.music(seed, seconds: 12),
            ])
            return (id: "\(number)", audio: Optional(audio))
        }
        let part = try #require(try search(files).parts.first)
        #expect(part.episodes == [0, 1, 2])
        #expect(part.places.allSatisfy { abs($0.seconds.length - 14) < 0.5 }, "\(part.places)")
    }

    /// Three files with an intro of 14 s at different places; one is a lossy file of another rate.
    @Test func findsTheIntroAtAnyPlace() throws {
        let intro = Self.music(1, seconds: 14)
        let starts = [0, 3.3, 9.7]
        var files: [(id: String, audio: AudioBuffer?)] = []
        for (number, start) in starts.enumerated() {
            let seed = UInt64(10 * number + 20)
            var parts = [intro, Self.music(seed, seconds: 12)]
            if start > 0 { parts.insert(Self.music(seed + 1, seconds: start), at: 0) }
            var audio = Self.joined(parts)
            if number == 2, let mp3 = AudioEncoding("mp3-64k") {
                audio = try AudioFile.decode(
                    AudioFile.encode(Resampler.resample(audio, to: 32_000), as: mp3), name: "c")
            }
            files.append(("\(number)", audio))
        }
        files.append(("broken", nil))
        let found = try search(files)
        #expect(found.unreadable.map { [$0.id, $0.message] } == [["broken", "no audio in it"]])
        #expect(found.passages.count == 3 && found.copies.isEmpty)
        let part = try #require(found.parts.first)
        #expect(found.parts.count == 1 && part.episodes == [0, 1, 2])
        for (place, start) in zip(part.places, starts) {
            #expect(abs(place.seconds.lowerBound - start) < 0.2, "\(place)")
            #expect(abs(place.seconds.upperBound - start - 14) < 0.2, "\(place)")
        }
        let advice = EpisodeAdvice(part, in: found)
        #expect(advice.nothingElse.isEmpty && advice.tagSpacing == 0.5 && !advice.isTagged)
        guard case .seconds(let tail) = advice.waiting else {
            Issue.record("\(advice.waiting)")
            return
        }
        #expect(tail <= 1)
    }

    /// An episode of a season at PAL speed, one whose pitch was kept, and a tape that drifts: what they share is no more than the
    /// intro and the credits.
    @Test(arguments: ["pal", "pitch kept", "tape"]) func aTransferSharesNoMoreThanTheRest(kind: String) throws
    {
        let (intro, credits) = (Self.music(1, seconds: 14), Self.music(2, seconds: 10))
        let steps: [any Degradation] =
            switch kind {
            case "pal": [Speed(percent: 100.0 / 24)]
            case "pitch kept": [Tempo(percent: 100.0 / 24)]
            default: [Drift(fromPercent: 0.1, toPercent: 0.6)]
            }
        var files: [(id: String, audio: AudioBuffer?)] = []
        var truths: [TimeMap] = []
        for number in 0..<3 {
            let seed = UInt64(10 * number + 20)
            let whole = Self.joined([intro, Self.music(seed, seconds: 20), credits])
            var clip = Clip(whole)
            for step in steps where number == 2 { try step.apply(to: &clip, material: NoMaterial()) }
            files.append(
                ("\(number)", AudioBuffer(samples: clip.audio.mono(), sampleRate: clip.audio.sampleRate)))
            truths.append(clip.timeMap.inverse)
        }
        let found = try search(files)
        #expect(found.copies.isEmpty)
        #expect(found.parts.count == 2, "\(found.parts.map(\.places))")
        for (part, seconds) in zip(found.parts, [0.0..<14, 34.0..<44]) {
            #expect(part.episodes == [0, 1, 2])
            for place in part.places {
                let truth = truths[place.episode]
                #expect(abs(place.seconds.lowerBound - truth(seconds.lowerBound)) < 0.3, "\(place)")
                #expect(abs(place.seconds.upperBound - truth(seconds.upperBound)) < 0.3, "\(place)")
            }
        }
        // A second after the intro, which all share.
        for file in 0..<3 {
            let seconds = try #require(found.toldApartSeconds(of: file))
            #expect(abs(seconds - 1 - truths[file](14)) < 0.3)
        }
    }

    @Test func filesThatShareNothingSaySo() throws {
        let found = try search([("a", Self.music(1, seconds: 12)), ("b", Self.music(2, seconds: 12))])
        #expect(found.parts.isEmpty && found.passages.isEmpty && found.episodes.count == 2)
    }

    @Test func copiesAndShortFilesAreNoEpisodes() throws {
        let whole = Self.music(3, seconds: 24)
        let short = whole.frames((5 * Self.rate)..<(13 * Self.rate))
        let found = try search([("a", whole), ("b", whole), ("short", short)])
        #expect(found.copies == [[0, 1]])
        let part = try #require(found.parts.first { $0.episodes == [0, 1, 2] })
        #expect(EpisodeAdvice(part, in: found).nothingElse.contains(2))
        let both = try #require(found.parts.first { $0.episodes == [0, 1] })
        let advice = EpisodeAdvice(both, in: found)
        #expect(advice.waiting == .nothingFollows && advice.nothingElse == [0, 1])
    }
}
