import AudioCore
import EarshotKit
import KitTestSupport
import TestSupport
import Testing

/// Streams: which outcomes occur, when, and at which predicted position.
@Suite struct StreamingTests {
    /// Plays audio into a session, with the clock following the audio.
    private func play(
        _ audio: AudioBuffer, blockFrames: Int = 256, catalog: SHCustomCatalog,
        onMatch: (SHMatch, _ heardSeconds: Double) -> Void,
        onBlock: (_ heardSeconds: Double) -> Void = { _ in }
    ) -> DelegateOutcomes {
        let clock = ManualClock()
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let heard = DelegateOutcomes()
        session.delegate = heard
        var told = 0
        var frames = 0
        for buffer in audio.pcmBuffers(ofFrames: blockFrames) {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(audio.sampleRate)))
            session.matchStreamingBuffer(
                buffer, at: AVAudioTime(sampleTime: Int64(frames), atRate: Double(audio.sampleRate)))
            frames += Int(buffer.frameLength)
            let seconds = Double(frames) / Double(audio.sampleRate)
            for match in heard.matches.withLock({ Array($0[told...]) }) { onMatch(match, seconds) }
            told = heard.matches.withLock { $0.count }
            onBlock(seconds)
        }
        return heard
    }

    /// A session whose outcomes come before the calls return.
    private func exactSession() throws -> SHSession {
        SHSession(catalog: try SongBook.catalog(), clock: PlaybackClock(ManualClock()))
    }

    private func catalog(_ items: [SHMediaItem]) throws -> SHCustomCatalog {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(SongBook.signatures[0], representing: items)
        return catalog
    }

    @Test(arguments: [1.0, 1.03])
    func itemsComeAndGoAtTheirTimes(ratio: Double) throws {
        let items = [
            SHMediaItem(properties: [.title: "whole"]),
            SHMediaItem(properties: [.title: "first", .timeRanges: [8.0..<11.0]]),
            SHMediaItem(properties: [.title: "second", .timeRanges: [10.0..<14.5, 17.0..<19.0]]),
        ]
        let audio = SongBook.songs[0].render(from: 4, seconds: 16, timeRatio: ratio, frequencyRatio: ratio)
        var changes: [(titles: [String], seconds: Double)] = []
        _ = play(audio, catalog: try catalog(items)) { match, seconds in
            let titles = match.mediaItems.compactMap(\.title)
            if changes.last?.titles != titles { changes.append((titles, seconds)) }
        }
        // The latest start comes first, items without times last.
        #expect(
            changes.map(\.titles) == [
                ["whole"], ["first", "whole"], ["second", "first", "whole"], ["second", "whole"], ["whole"],
                ["second", "whole"], ["whole"],
            ])
        let positions = [8, 10, 11, 14.5, 17, 19.0]
        for (change, position) in zip(changes.dropFirst(), positions) {
            let seconds = (position - 4) / ratio
            #expect(abs(change.seconds - seconds) < 0.05, "\(position)")
        }
    }

    @Test func rangesBeginBetweenBuffersToo() async throws {
        let clock = ManualClock()
        let item = SHMediaItem(properties: [.title: "later", .timeRanges: [9.6..<9.8]])
        let session = SHSession(catalog: try catalog([item]), clock: PlaybackClock(clock))
        let results = session.results
        let audio = SongBook.songs[0].render(from: 5, seconds: 4)
        for buffer in audio.pcmBuffers(ofFrames: 4000) {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(audio.sampleRate)))
            session.matchStreamingBuffer(buffer, at: nil)
        }
        // The audio ends at 9 s. Only the clock continues.
        let driver = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(10))
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        var positions: [Double] = []
        for await case .match(let match) in results {
            let best = match.mediaItems[0]
            if best.title == "later" || !positions.isEmpty {
                positions.append(best.predictedCurrentMatchOffset)
            }
            if positions.count == 2 { break }
        }
        driver.cancel()
        #expect(positions.count == 2)
        #expect(positions[0] >= 9.6 - 0.01 && positions[1] >= 9.8 - 0.01)
    }

    @Test func thePredictedPositionFollowsTheClock() throws {
        let audio = SongBook.songs[0].render(from: 6, seconds: 8)
        var latest: SHMatchedMediaItem?
        var errors: [Double] = []
        _ = play(
            audio, catalog: try catalog([]), onMatch: { match, _ in latest = match.mediaItems.first },
            onBlock: { seconds in
                if let latest { errors.append(abs(latest.predictedCurrentMatchOffset - (6 + seconds))) }
            })
        #expect(errors.count > 400)
        #expect(errors.allSatisfy { $0 < 0.02 })
    }

    @Test func aReferenceWithoutApplyingItemsHasABasicOne() throws {
        let item = SHMediaItem(properties: [.title: "skewed", .frequencySkewRanges: [0.02..<0.04]])
        var plain: [SHMatchedMediaItem] = []
        _ = play(SongBook.songs[0].render(from: 2, seconds: 3), catalog: try catalog([item])) { match, _ in
            plain += match.mediaItems
        }
        let basic = try #require(plain.first)
        #expect(basic.title == nil && basic.frequencySkew == 0)
        var skewed: [SHMatchedMediaItem] = []
        let fast = SongBook.songs[0].render(from: 2, seconds: 4, timeRatio: 1.03, frequencyRatio: 1.03)
        _ = play(fast, catalog: try catalog([item])) { match, _ in skewed += match.mediaItems }
        #expect(skewed.last?.title == "skewed")
    }

    @Test func aMatchRepeatsEveryFiveSeconds() throws {
        var times: [Double] = []
        _ = play(SongBook.songs[0].render(from: 1, seconds: 22), catalog: try catalog([])) { _, seconds in
            times.append(seconds)
        }
        #expect(times.count >= 4)
        for (earlier, later) in zip(times, times.dropFirst()) {
            #expect(later - earlier >= 0.95 && later - earlier < 6.1)
        }
    }

    @Test func aJingleIsNotReportedAfterItsEnd() throws {
        let jingle = ScoreSong(seed: 70, seconds: 4).render()
        let stranger = ScoreSong(seed: 902, seconds: 40)
        let catalog = try SongBook.catalog()
        try catalog.addReferenceSignature(.of(jingle), representing: [])
        let audio = AudioBuffer(
            samples: stranger.render(from: 0, seconds: 9.4).samples + jingle.samples
                + stranger.render(from: 20, seconds: 12).samples, sampleRate: jingle.sampleRate)
        var positions: [Double] = []
        let heard = play(audio, catalog: catalog) { match, _ in
            positions += match.mediaItems.map(\.predictedCurrentMatchOffset)
        }
        #expect(!positions.isEmpty && positions.allSatisfy { (0...5.05).contains($0) }, "\(positions)")
        // At 5 s, at 10 s unless the jingle is known by then, soon after the jingle, and every 5 s after its end.
        let lengths = heard.misses.withLock { $0.map(\.signature.duration) }
        #expect((4...5).contains(lengths.count), "\(lengths)")
        #expect((1...2.5).contains(lengths.dropLast(2).last ?? 0), "\(lengths)")
    }

    @Test func anotherFormatIsAnErrorAndTheStreamContinues() throws {
        let session = try exactSession()
        let heard = DelegateOutcomes()
        session.delegate = heard
        let audio = SongBook.songs[1].render(from: 3, seconds: 4)
        let buffers = audio.pcmBuffers(ofFrames: 8000)
        for (number, buffer) in buffers.enumerated() {
            session.matchStreamingBuffer(buffer, at: nil)
            if number == 0 {
                let other = AudioBuffer(silentFrames: 800, sampleRate: 48_000, channelCount: 2)
                session.matchStreamingBuffer(other.pcmBuffer(), at: nil)
            }
        }
        let errors = heard.misses.withLock { $0.compactMap(\.error) }
        #expect(errors.count == 1 && SHError.Code.invalidAudioFormat ~= errors[0])
        #expect(heard.matches.withLock { $0.first?.mediaItems.first?.title } == SongBook.title(1))
    }

    @Test func aGapIsAnErrorAndTheStreamRestarts() throws {
        let session = try exactSession()
        let heard = DelegateOutcomes()
        session.delegate = heard
        let rate = Double(SongBook.songs[1].render(from: 0, seconds: 0.1).sampleRate)
        for (song, time) in [(1, 0.0), (2, 7.5)] {
            session.matchStreamingBuffer(
                SongBook.songs[song].render(from: 3, seconds: 4).pcmBuffer(),
                at: AVAudioTime(sampleTime: Int64(time * rate), atRate: rate))
        }
        let errors = heard.misses.withLock { $0.compactMap(\.error) }
        #expect(errors.count == 1 && SHError.Code.audioDiscontinuity ~= errors[0])
        let titles = heard.matches.withLock { $0.compactMap { $0.mediaItems.first?.title } }
        #expect(titles.first == SongBook.title(1) && titles.last == SongBook.title(2))
    }

    /// As engines do that are started again; the second one's tap came after its start.
    @Test(arguments: [0.0, 0.3])
    func timeThatBeginsAnewBeginsANewStream(secondStart: Double) throws {
        let session = try exactSession()
        let heard = DelegateOutcomes()
        session.delegate = heard
        var host = 100.0
        for (song, start, pause) in [(1, 0.0, 5.0), (2, secondStart, 0), (3, 0, 0)] {
            let audio = SongBook.songs[song].render(from: 3, seconds: 4)
            var seconds = start
            for buffer in audio.pcmBuffers(ofFrames: 4000) {
                let rate = Double(audio.sampleRate)
                session.matchStreamingBuffer(
                    buffer,
                    at: AVAudioTime(
                        hostTime: AVAudioTime.hostTime(forSeconds: host),
                        sampleTime: Int64((seconds * rate).rounded()), atRate: rate))
                seconds += Double(buffer.frameLength) / rate
                host += Double(buffer.frameLength) / rate
            }
            host += pause
        }
        #expect(heard.misses.withLock { $0.isEmpty })
        let titles = heard.matches.withLock { $0.compactMap { $0.mediaItems.first?.title } }
        #expect(Set(titles) == [SongBook.title(1), SongBook.title(2), SongBook.title(3)])
    }

    @Test func anOverlapIsStillAnError() throws {
        let session = try exactSession()
        let heard = DelegateOutcomes()
        session.delegate = heard
        for start in [0.0, 4, 5] {
            let audio = SongBook.songs[1].render(from: 3 + start, seconds: 4)
            session.matchStreamingBuffer(
                audio.pcmBuffer(),
                at: AVAudioTime(
                    sampleTime: Int64(start * Double(audio.sampleRate)), atRate: Double(audio.sampleRate)))
        }
        let errors = heard.misses.withLock { $0.compactMap(\.error) }
        #expect(errors.count == 1 && SHError.Code.audioDiscontinuity ~= errors[0])
    }

    @Test func nonFiniteSamplesAreAnError() throws {
        let session = try exactSession()
        let heard = DelegateOutcomes()
        session.delegate = heard
        let bad = AudioBuffer(samples: [Float](repeating: .nan, count: 20_000), sampleRate: 16_000)
        session.matchStreamingBuffer(bad.pcmBuffer(), at: nil)
        let good = SongBook.songs[3].render(from: 3, seconds: 3)
        session.matchStreamingBuffer(good.pcmBuffer(), at: nil)
        let errors = heard.misses.withLock { $0.compactMap(\.error) }
        #expect(errors.count == 1 && SHError.Code.signatureInvalid ~= errors[0])
    }

    @Test func matchesRoundTripThroughArchives() throws {
        var matches: [SHMatch] = []
        _ = play(
            SongBook.songs[0].render(from: 2, seconds: 3),
            catalog: try catalog([SHMediaItem(properties: [.title: "a"])])
        ) { match, _ in matches.append(match) }
        let match = try #require(matches.first)
        let data = try NSKeyedArchiver.archivedData(withRootObject: match, requiringSecureCoding: true)
        let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: SHMatch.self, from: data))
        #expect(back == match)
        let position = back.mediaItems[0].predictedCurrentMatchOffset
        #expect(position == back.mediaItems[0].predictedCurrentMatchOffset)
    }
}
