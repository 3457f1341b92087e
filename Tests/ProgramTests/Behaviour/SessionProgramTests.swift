import AudioCore
import Combine
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Runs the programs that match.
@Suite struct SessionProgramTests {
    private func noise() throws -> SHSignature {
        try .of(TestSignals.noise(seed: 9, seconds: 4, sampleRate: 16_000))
    }

    @Test func t19PublishesItsResult() async throws {
        let matcher = PublishingMatcher()
        let titles = Mutex<[String?]>([])
        let changes = Mutex(0)
        let both = [
            matcher.$result.sink { value in titles.withLock { $0.append(value.mediaItem?.title) } },
            matcher.objectWillChange.sink { changes.withLock { $0 += 1 } },
        ]
        matcher.match(try SongBook.query(2, from: 11, seconds: 4), in: try SongBook.catalog())
        #expect(try await eventually { titles.withLock { $0.count } == 2 })
        #expect(titles.withLock { $0 } == [nil, SongBook.title(2)])
        #expect(changes.withLock { $0 } == 1)
        withExtendedLifetime(both) {}
    }

    @Test func t06AsksADelegate() async throws {
        let catalog = try SongBook.catalog()
        let matcher = DelegateMatcher()
        matcher.begin(try SongBook.query(2, from: 11, seconds: 4), in: catalog)
        #expect(try await eventually { matcher.lastOffset != nil })
        // The prediction is for the time of reading.
        #expect(try (14.9...40).contains(#require(matcher.lastOffset)))
        let hits = OnlyHits()
        let session = SHSession(catalog: catalog)
        session.delegate = hits
        session.match(try noise())
        #expect(session.delegate === hits)
        #expect(session.catalog == catalog && session.catalog != SHCustomCatalog())
    }

    @Test func t06DelegatesAreNotKept() throws {
        let session = SHSession(catalog: try SongBook.catalog())
        do {
            let hits = OnlyHits()
            session.delegate = hits
        }
        #expect(session.delegate == nil)
    }

    @Test func t07Identifies() async throws {
        let catalog = try SongBook.catalog()
        let items = try await identify(SongBook.query(1, from: 9.25, seconds: 5), catalog: catalog)
        #expect(items.first?.title == "Song 1")
        #expect(abs(try #require(items.first?.matchOffset) - 9.25) < 0.005)
        #expect(try await identify(noise(), catalog: catalog).isEmpty)
        let error = await #expect(throws: SHError.self) {
            _ = try await identify(SongBook.query(1, from: 9, seconds: 0.5), catalog: catalog)
        }
        #expect(error?.code == .signatureDurationInvalid)
        let session = SHSession(catalog: catalog)
        #expect(isHit(await session.result(from: try SongBook.query(0, from: 3, seconds: 4))))
        #expect(!isHit(await session.result(from: try noise())))
    }

    @Test func t08Streams() async throws {
        let catalog = try SongBook.catalog()
        let buffers = SongBook.songs[3].render(from: 4, seconds: 12).pcmBuffers(ofFrames: 1024)
        let streamer = Streamer(catalog: catalog)
        streamer.feed(buffers)
        #expect(await streamer.titles(limit: 1).first == "Song 3")

        let other = Streamer(catalog: catalog)
        let noise = TestSignals.noise(seed: 4, seconds: 11, sampleRate: 16_000)
        other.feed(
            (AudioBuffer(
                samples: noise.samples + SongBook.songs[1].render(from: 9, seconds: 6).samples,
                sampleRate: 16_000)).pcmBuffers(ofFrames: 4096))
        let match = try #require(await other.firstHit())
        let item = try #require(match.mediaItems.first)
        #expect(item.title == "Song 1")
    }

    @Test func t09ShowsTimedItems() async throws {
        let song = ScoreSong(seed: 300, seconds: 100)
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(try .of(song.render()), representing: timedItems())
        let session = SHSession(catalog: catalog)
        for (start, title, question) in [
            (2.0, "Episode 4", nil), (16, "Episode 4", 1), (40, "Episode 4", nil), (65, "Chorus", nil),
        ] as [(Double, String, Int?)] {
            let query = try SHSignature.of(song.render(from: start, seconds: 5))
            guard case .match(let match) = await session.result(from: query) else {
                Issue.record("no match at \(start) s")
                continue
            }
            #expect(match.screen.title == title && match.screen.question == question)
        }
    }

    @Test func t10DistinguishesVersionsBySkew() async throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(SongBook.signatures[0], representing: [skewed()])
        let session = SHSession(catalog: catalog)
        for (ratio, isCut) in [(1.035, true), (1, false), (1.045, false), (0.965, false)] {
            let audio = SongBook.songs[0].render(
                from: 6, seconds: 6, timeRatio: ratio, frequencyRatio: ratio)
            guard case .match(let match) = await session.result(from: try .of(audio)) else {
                Issue.record("no match at \(ratio)")
                continue
            }
            let item = try #require(match.mediaItems.first)
            #expect(isDirectorsCut(item) == isCut)
            #expect(item.title == (isCut ? "Director's cut" : nil))
            #expect(abs(Double(item.frequencySkew) - (ratio - 1)) < 0.001)
        }
    }

    @Test func t13ScansALongSignature() async throws {
        let hits = try await scan(SongBook.signatures[2], catalog: try SongBook.catalog())
        #expect(hits.map(\.1) == Array(repeating: "Song 2", count: 5))
        for (hit, start) in zip(hits, [0.0, 5, 10, 15, 20]) { #expect(abs(hit.0 - start) < 0.01) }
    }

    @Test func t15MatchesManyAtOnce() async throws {
        let catalog = SHCustomCatalog()
        for (song, signature) in SongBook.signatures.enumerated() {
            try catalog.addReferenceSignature(
                signature, representing: [SHMediaItem(properties: [.shazamID: "\(song)"])])
        }
        let log = Log()
        let queries = try (0..<8).map { try SongBook.query($0 % 3, from: 5 + Double($0), seconds: 4) }
        await fanOut(queries, catalog: catalog, log: log)
        #expect(await log.seen == ["0", "1", "2"])
        let (one, other) = await matchTwoCatalogs(queries[0], catalog, SHCustomCatalog())
        #expect(isHit(one) && !isHit(other))
    }

    @Test func t16ArchivesHashesAndCopies() async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        guard case .match(let match) = await session.result(from: try SongBook.query(1, from: 5, seconds: 5))
        else {
            Issue.record("no match")
            return
        }
        let read = try #require(try roundTrip(match))
        #expect(read.mediaItems.map(\.title) == ["Song 1"])
        #expect(read.mediaItems.first?.matchOffset == match.mediaItems.first?.matchOffset)
        #expect(read.mediaItems.first?.frequencySkew == match.mediaItems.first?.frequencySkew)
        #expect(read.querySignature == match.querySignature)
        let item = SHMediaItem(properties: [.title: "a"])
        let other = SHMediaItem(properties: [.title: "b"])
        #expect(Set(unique([item, other, SHMediaItem(properties: [.title: "a"])])) == [item.id, other.id])
        #expect(clone(SongBook.signatures[0]) == SongBook.signatures[0])
    }

    @Test func t18ShowsTheTitleOnTheMainActor() async throws {
        let model = await ViewModel(catalog: try SongBook.catalog())
        await model.run(try SongBook.query(3, from: 5, seconds: 5))
        #expect(try await eventually { await model.title != nil })
        #expect(await model.title == "Song 3")
    }
}
