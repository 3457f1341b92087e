import AudioCore
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// References that share a passage: all of them match within it, one after it.
@Suite struct SharedPassageTests {
    private func items(_ catalog: SHCustomCatalog, _ audio: AudioBuffer) async throws
        -> [SHMatchedMediaItem]
    {
        let query = try SHSignature.of(audio)
        guard case .match(let match) = await SHSession(catalog: catalog).result(from: query) else {
            return []
        }
        return match.mediaItems
    }

    @Test(arguments: [3.0, 5, 8])
    func aQueryWithinTheIntroMatchesAllEpisodes(seconds: Double) async throws {
        let catalog = try EpisodeBook.catalog()
        let query = EpisodeBook.excerpt(17, 2..<(2 + seconds))
        let found = try await items(catalog, query)
        #expect(found.count == EpisodeBook.count)
        #expect(Set(found.compactMap(\.title)) == EpisodeBook.titles)
        #expect(found.allSatisfy { abs($0.matchOffset - 2) < 0.01 })
        let again = try await items(catalog, query)
        #expect(again.map(\.title) == found.map(\.title))
        #expect(found.filter { $0.title == EpisodeBook.title(59) }.count == 1)
    }

    /// The case of forum thread 710225: each query in the intro of three episodes names all three, in the same order.
    @Test func forumThread710225() async throws {
        let intro = ScoreSong(seed: 710_225, seconds: 40)
        let bodies = (0..<3).map { ScoreSong(seed: 710_226 + UInt64($0), seconds: 12).render() }
        let catalog = SHCustomCatalog()
        for (number, body) in bodies.enumerated() {
            let episode = AudioBuffer(
                samples: intro.render().samples + body.samples, sampleRate: body.sampleRate)
            try catalog.addReferenceSignature(
                .of(episode), representing: [SHMediaItem(properties: [.title: "Episode \(number + 1)"])])
        }
        for start in [0.5, 17, 34] {
            let query = intro.render(from: start, seconds: 5)
            let found = try await items(catalog, query)
            #expect(Set(found.map(\.title)) == ["Episode 1", "Episode 2", "Episode 3"] && found.count == 3)
            #expect(found.allSatisfy { abs($0.matchOffset - start) < 0.01 })
            for _ in 0..<3 { #expect(try await items(catalog, query).map(\.title) == found.map(\.title)) }
        }
        for (number, body) in bodies.enumerated() {
            let query = body.frames(body.sampleRate..<(6 * body.sampleRate))
            #expect(try await items(catalog, query).map(\.title) == ["Episode \(number + 1)"])
        }
    }

    @Test(arguments: [0, 17, 59])
    func aQueryOneSecondIntoTheEpisodeMatchesOnlyIt(episode: Int) async throws {
        let end = EpisodeBook.introSeconds + 1
        for seconds in [3.0, 5, 10] {
            let found = try await items(
                EpisodeBook.catalog(), EpisodeBook.excerpt(episode, (end - seconds)..<end))
            #expect(found.map(\.title) == [EpisodeBook.title(episode)], "\(seconds) s")
        }
    }

    /// The sets of titles that a stream reports, and the stream's time of each change.
    private func changes(_ audio: AudioBuffer) throws -> [(titles: [String], seconds: Double)] {
        let clock = ManualClock()
        let session = SHSession(catalog: try EpisodeBook.catalog(), clock: PlaybackClock(clock))
        let heard = DelegateOutcomes()
        session.delegate = heard
        var changes: [(titles: [String], seconds: Double)] = []
        for buffer in audio.pcmBuffers(ofFrames: 800) {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(audio.sampleRate)))
            session.matchStreamingBuffer(buffer, at: nil)
            for match in heard.matches.withLock({ matches in
                defer { matches = [] }
                return matches
            }) {
                let titles = match.mediaItems.compactMap(\.title)
                if changes.last.map({ Set($0.titles) }) != Set(titles) {
                    changes.append((titles, clock.now.elapsed.seconds))
                }
            }
        }
        #expect(heard.misses.withLock { $0.isEmpty })
        return changes
    }

    @Test(arguments: [0, 17, 59])
    func aStreamMatchesAllEpisodesUntilTheIntroEnds(episode: Int) throws {
        let changes = try changes(EpisodeBook.audio(episode))
        #expect(changes.first.map { Set($0.titles) } == EpisodeBook.titles)
        #expect(changes.first?.titles.count == EpisodeBook.count)
        let last = try #require(changes.last)
        #expect(last.titles == [EpisodeBook.title(episode)])
        #expect((EpisodeBook.introSeconds...(EpisodeBook.introSeconds + 1)).contains(last.seconds))
        for change in changes.dropLast() where change.seconds < EpisodeBook.introSeconds {
            #expect(change.titles.count == EpisodeBook.count, "\(change.seconds) s")
        }
    }

    /// Noise neither ends the right episode nor keeps another one.
    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func aNoisyStreamEndsWithTheRightEpisode(seed: Int) throws {
        let audio = EpisodeBook.audio(seed * 9)
        let power = audio.samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(audio.frameCount)
        let noise = TestSignals.noise(
            seed: UInt64(seed), amplitude: (power * 3).squareRoot(), seconds: 22,
            sampleRate: audio.sampleRate)
        let changes = try changes(
            AudioBuffer(samples: zip(audio.samples, noise.samples).map(+), sampleRate: audio.sampleRate))
        let title = EpisodeBook.title(seed * 9)
        for change in changes {
            #expect(change.titles.contains(title), "\(change.seconds) s")
            if change.seconds < EpisodeBook.introSeconds {
                #expect(
                    change.titles.count > EpisodeBook.count * 9 / 10,
                    "\(change.seconds) s: \(change.titles.count)")
            }
        }
        #expect(changes.last?.titles == [title])
    }

    /// A clean copy of one recording and two noisy ones, which all contain the query.
    @Test func allCopiesMatchTheBestFirst() async throws {
        let song = ScoreSong(seed: 77, seconds: 25).render()
        let rate = song.sampleRate
        let power = song.samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(song.frameCount)
        let catalog = SHCustomCatalog()
        for (title, share) in [("noisy", 1.0), ("hissing", 0.1), ("clean", 0)] {
            let noise = TestSignals.noise(
                seed: 3, amplitude: (power * share).squareRoot(), seconds: 25, sampleRate: rate)
            try catalog.addReferenceSignature(
                .of(AudioBuffer(samples: zip(song.samples, noise.samples).map(+), sampleRate: rate)),
                representing: [SHMediaItem(properties: [.title: title])])
        }
        for start in [2, 9, 17] {
            let query = song.frames((start * rate)..<((start + 6) * rate))
            let found = try await items(catalog, query)
            #expect(found.first?.title == "clean")
            #expect(Set(found.map(\.title)) == ["clean", "hissing", "noisy"])
            let again = try await items(catalog, query)
            #expect(again.map(\.title) == found.map(\.title))
        }
    }

    /// Copies of one intro, each with an item for a skew of its own.
    private func skewTagged() throws -> SHCustomCatalog {
        let catalog = SHCustomCatalog()
        for episode in 1...4 {
            let skew = Float(episode) / 100
            try catalog.addReferenceSignature(
                EpisodeBook.signatures[episode],
                representing: [
                    SHMediaItem(properties: [
                        .title: EpisodeBook.title(episode),
                        .frequencySkewRanges: [(skew - 0.004)..<(skew + 0.004)],
                    ])
                ])
        }
        return catalog
    }

    @Test(arguments: [3.0, 5, 10])
    func theItemOfTheSkewComesFirst(seconds: Double) async throws {
        for (ratio, titles) in [(1.03, ["Episode 3"]), (1.01, ["Episode 1"]), (1, [nil])] {
            let audio = EpisodeBook.intro.render(
                from: 1, seconds: seconds, timeRatio: ratio, frequencyRatio: ratio)
            let found = try await items(skewTagged(), audio)
            #expect(found.map(\.title) == titles)
            let session = SHSession(catalog: try skewTagged(), clock: PlaybackClock(ManualClock()))
            let heard = DelegateOutcomes()
            session.delegate = heard
            for buffer in audio.pcmBuffers(ofFrames: 4000) { session.matchStreamingBuffer(buffer, at: nil) }
            let last = try #require(heard.matches.withLock { $0.last })
            #expect(last.mediaItems.map(\.title) == titles)
        }
    }

    @Test func aReferenceWithAnItemInRangeComesBeforeOneWithout() async throws {
        let catalog = SHCustomCatalog()
        for (episode, range) in [(0, 20.0..<21), (1, 0..<12), (2, 20..<21)] {
            try catalog.addReferenceSignature(
                EpisodeBook.signatures[episode],
                representing: [
                    SHMediaItem(properties: [.title: EpisodeBook.title(episode), .timeRanges: [range]])
                ])
        }
        let found = try await items(catalog, EpisodeBook.excerpt(0, 3..<8))
        #expect(found.map(\.title) == ["Episode 1"])
        // Item 0 is out of range and no other reference matches.
        let basic = try await items(catalog, EpisodeBook.excerpt(0, 14..<19))
        #expect(basic.map(\.title) == [nil])
        #expect(abs(try #require(basic.first).matchOffset - 14) < 0.01)
    }
}
