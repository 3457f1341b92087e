import AudioCore
import EarshotKit
import KitTestSupport
import TVShow
import TestSupport
import Testing

/// A shared intro matches all episodes; its frequency skew tells them apart.
@Suite struct TVShowTests {
    private static let intro = ScoreSong(seed: 500, seconds: 40)

    /// The intro, followed by the episode's own content.
    private static func episode(_ number: Int, skew: Float? = nil) throws -> TVShow.Episode {
        let audio = AudioBuffer(
            samples: intro.render().samples
                + ScoreSong(seed: 510 + UInt64(number), seconds: 50).render().samples,
            sampleRate: 16_000)
        return TVShow.Episode(title: "Episode \(number)", signature: try .of(audio), skew: skew)
    }

    @Test func theProgramNeedsNoRecording() throws {
        let lines = try ExampleProcess("TVShow", []).finish().split(separator: "\n")
        try #require(lines.count == 6)
        #expect(lines[0] == "the intro:" && lines[4] == "the second episode:")
        #expect(Set(lines[1...3].map { $0.prefix(21) }) == Set((1...3).map { "Episode \($0) at 4.00 s, " }))
        #expect(lines[5] == "Episode 2 at 14.00 s, skew +0.00 %")
    }

    @Test func theIntroMatchesAllEpisodes() async throws {
        let show = try TVShow((1...4).map { try Self.episode($0) })
        for start in [0.0, 7.3, 30] {
            let heard = try SHSignature.of(Self.intro.render(from: start, seconds: 8))
            let found = try await show.episodes(in: heard)
            #expect(found.count == 4)
            #expect(Set(found.map(\.title)) == Set((1...4).map { "Episode \($0)" }))
            #expect(found.allSatisfy { abs($0.matchOffset - start) < 0.01 })
            // Repeating the query gives the same set in the same order.
            #expect(try await show.episodes(in: heard).map(\.title) == found.map(\.title))
            let third = try await show.episodes(in: heard, title: "Episode 3")
            #expect(third.map(\.title) == ["Episode 3"])
            #expect(try await show.episodes(in: heard, title: "Episode 9").isEmpty)
        }
    }

    @Test func theRestMatchesOneEpisode() async throws {
        let show = try TVShow((1...4).map { try Self.episode($0) })
        let heard = try SHSignature.of(ScoreSong(seed: 512, seconds: 50).render(from: 10, seconds: 6))
        let found = try await show.episodes(in: heard)
        #expect(found.map(\.title) == ["Episode 2"])
        #expect(abs(try #require(found.first).matchOffset - 50) < 0.01)
    }

    @Test func skewsTellTheIntrosApart() async throws {
        let show = try TVShow((0..<4).map { try Self.episode($0 + 1, skew: 0.01 * Float($0)) })
        for number in 0..<4 {
            for change in [0, 0.002, -0.002] {
                let ratio = 1 + 0.01 * Double(number) + change
                let heard = try SHSignature.of(
                    Self.intro.render(from: 12, seconds: 8, timeRatio: ratio, frequencyRatio: ratio))
                let found = try await show.episodes(in: heard)
                #expect(found.map(\.title) == ["Episode \(number + 1)"])
                #expect(abs(Double(try #require(found.first).frequencySkew) - (ratio - 1)) < 0.0005)
            }
            // Halfway between two episodes it matches none.
            let ratio = 1.005 + 0.01 * Double(number)
            let heard = try SHSignature.of(
                Self.intro.render(from: 12, seconds: 8, timeRatio: ratio, frequencyRatio: ratio))
            #expect(try await show.episodes(in: heard).isEmpty)
        }
    }

    @Test func otherMusicMatchesNone() async throws {
        let show = try TVShow((1...2).map { try Self.episode($0) })
        let heard = try SHSignature.of(ScoreSong(seed: 599, seconds: 8).render())
        #expect(try await show.episodes(in: heard).isEmpty)
        let short = try SHSignature.of(Self.intro.render(from: 3, seconds: 0.5))
        let error = await #expect(throws: SHError.self) { _ = try await show.episodes(in: short) }
        #expect(error?.code == .signatureDurationInvalid)
    }

    @Test func theProgramNamesEpisodesAfterFiles() throws {
        let folder = try TemporaryFolder()
        var files: [String] = []
        for number in 1...2 {
            let file = folder.file("part\(number).wav")
            let audio =
                Self.intro.render().samples
                + ScoreSong(seed: 510 + UInt64(number), seconds: 20).render().samples
            try AudioBuffer(samples: audio, sampleRate: 16_000).write(to: file)
            files.append(file)
        }
        let heard = folder.file("heard.wav")
        try Self.intro.render(from: 5, seconds: 8, timeRatio: 1.01, frequencyRatio: 1.01).write(to: heard)
        let both = try ExampleProcess("TVShow", files + ["--heard", heard]).finish()
        #expect(both.split(separator: "\n").map { $0.prefix(5) }.sorted() == ["part1", "part2"])
        let second = try ExampleProcess("TVShow", files + ["--heard", heard, "--skew-percent", "1"]).finish()
        #expect(second == "part2 at 5.00 s, skew +1.00 %\n")
        let first = try ExampleProcess(
            "TVShow", files + ["--heard", heard, "--skew-percent", "1", "--title", "part1"]
        ).finish()
        #expect(first == "no episode\n")
    }
}
