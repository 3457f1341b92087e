import AudioCore
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Outcomes come on a queue of the session, in order, after the call has returned.
@Suite struct DeliveryTests {
    /// Does something in each call, and then passes the outcome on.
    private final class Receiver: NSObject, SHSessionDelegate, Sendable {
        let outcomes: AsyncStream<SHSession.Result>
        private let continuation: AsyncStream<SHSession.Result>.Continuation
        private let act: @Sendable (SHSession) -> Void

        init(_ act: @escaping @Sendable (SHSession) -> Void = { _ in }) {
            self.act = act
            (outcomes, continuation) = AsyncStream.makeStream()
        }

        func session(_ session: SHSession, didFind match: SHMatch) {
            act(session)
            continuation.yield(.match(match))
        }

        func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?) {
            act(session)
            continuation.yield(error.map { .error($0, signature) } ?? .noMatch(signature))
        }
    }

    private static let audio = SongBook.songs[1].render(from: 3, seconds: 4)
    private static var buffers: [AVAudioPCMBuffer] { audio.pcmBuffers(ofFrames: 1600) }

    private func title(_ outcome: SHSession.Result?) -> String? {
        if case .match(let match) = outcome { match.mediaItems.first?.title } else { nil }
    }

    @Test(.timeLimit(.minutes(5))) func aDelegateMayWaitForTheFeedingQueue() async throws {
        let feeding = DispatchQueue(label: "feeding")
        let receiver = Receiver { _ in feeding.sync {} }
        let session = SHSession(catalog: try SongBook.catalog())
        session.delegate = receiver
        feeding.async { for buffer in Self.buffers { session.matchStreamingBuffer(buffer, at: nil) } }
        #expect(title(await receiver.outcomes.first { _ in true }) == SongBook.title(1))
    }

    @Test(.timeLimit(.minutes(5))) func aDelegateMayTakeTheLockOfTheFeeder() async throws {
        let lock = NSLock()
        let receiver = Receiver { _ in lock.withLock {} }
        let session = SHSession(catalog: try SongBook.catalog())
        session.delegate = receiver
        DispatchQueue(label: "feeding").async {
            for buffer in Self.buffers { lock.withLock { session.matchStreamingBuffer(buffer, at: nil) } }
        }
        #expect(title(await receiver.outcomes.first { _ in true }) == SongBook.title(1))
    }

    /// Feeds the session once more, asks it, and leaves it, all in its own call.
    @Test(.timeLimit(.minutes(5))) func aDelegateMayCallTheSession() async throws {
        let query = try SongBook.query(2, from: 5, seconds: 4)
        let isFirst = Atomic(true)
        let receiver = Receiver { session in
            guard isFirst.exchange(false, ordering: .relaxed) else { return session.delegate = nil }
            for buffer in Self.buffers { session.matchStreamingBuffer(buffer, at: nil) }
            session.match(query)
        }
        var session: SHSession? = SHSession(catalog: try SongBook.catalog())
        session?.delegate = receiver
        let results = try #require(session).results
        for buffer in Self.buffers { session?.matchStreamingBuffer(buffer, at: nil) }
        session = nil
        var titles: Set<String?> = []
        for await outcome in results { titles.insert(title(outcome)) }
        // The two feeders may take turns, and then nothing may be recognised too.
        #expect(titles.isSuperset(of: [SongBook.title(1), SongBook.title(2)]))
    }

    /// The clock reports the beginning of a range on its own thread, and the receiver takes its time there.
    @Test(.timeLimit(.minutes(5))) func aCallWithAClockWaitsForOtherThreadsOutcomes() async throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            SongBook.signatures[1],
            representing: [SHMediaItem(properties: [.title: "later", .timeRanges: [7.05..<20.0]])])
        let clock = ManualClock()
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let (entered, entries) = AsyncStream<Void>.makeStream()
        let isDone = Atomic(false)
        let receiver = Receiver { _ in
            guard clock.now.elapsed > .seconds(4) else { return }
            entries.yield()
            Thread.sleep(forTimeInterval: 0.5)
            isDone.store(true, ordering: .relaxed)
        }
        session.delegate = receiver
        for buffer in Self.buffers {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(Self.audio.sampleRate)))
            session.matchStreamingBuffer(buffer, at: nil)
        }
        let driver = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(10))
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        _ = await entered.first { true }
        session.matchStreamingBuffer(Self.buffers[0], at: nil)
        let isDelivered = isDone.load(ordering: .relaxed)
        driver.cancel()
        #expect(isDelivered)
    }

    /// Audio that comes faster than it plays has the outcomes of a clock that follows it, also the repeats.
    @Test(.timeLimit(.minutes(5))) func bothFormsHaveTheSameOutcomes() async throws {
        let stranger = ScoreSong(seed: 905, seconds: 12).render()
        let samples = SongBook.songs[0].render(from: 1, seconds: 27).samples + stranger.samples
        let audio = AudioBuffer(samples: samples, sampleRate: stranger.sampleRate)
        let catalog = try SongBook.catalog()

        let clock = ManualClock()
        let exact = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let heard = DelegateOutcomes()
        exact.delegate = heard
        let receiver = Receiver()
        var session: SHSession? = SHSession(catalog: catalog)
        session?.delegate = receiver
        let results = try #require(session).results
        for buffer in audio.pcmBuffers(ofFrames: 1600) {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(audio.sampleRate)))
            exact.matchStreamingBuffer(buffer, at: nil)
            session?.matchStreamingBuffer(buffer, at: nil)
        }
        // The session ends with its last outcome.
        session = nil
        var found: [SHSession.Result] = []
        for await outcome in results { found.append(outcome) }
        let matches = heard.matches.withLock { $0 }
        let misses = heard.misses.withLock { $0 }
        #expect(matches.count >= 6 && misses.count >= 2)
        let foundMatches = found.compactMap { if case .match(let match) = $0 { match } else { nil } }
        #expect(foundMatches.map(\.querySignature) == matches.map(\.querySignature))
        #expect(
            foundMatches.map { $0.mediaItems.map(\.matchOffset) }
                == matches.map { $0.mediaItems.map(\.matchOffset) })
        let foundMisses = found.compactMap { if case .noMatch(let query) = $0 { query } else { nil } }
        #expect(foundMisses == misses.map(\.signature))
        var order = receiver.outcomes.makeAsyncIterator()
        for outcome in found {
            let delivered = await order.next()
            switch (outcome, delivered) {
            case (.match(let one), .match(let other)): #expect(one === other)
            case (.noMatch(let one), .noMatch(let other)): #expect(one === other)
            default: Issue.record("\(outcome) \(String(describing: delivered))")
            }
        }
    }

    private struct Weak: @unchecked Sendable { weak var session: SHSession? }

    /// EARSHOT_SESSIONS is their number.
    private static let sessionCount =
        ProcessInfo.processInfo.environment["EARSHOT_SESSIONS"].flatMap(Int.init) ?? 10_000

    /// Some have heard enough for a match, and a range that is still to begin.
    @Test(.timeLimit(.minutes(15))) func sessionsInAnyOrderEndAndLeaveNothing() async throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            SongBook.signatures[1],
            representing: [SHMediaItem(properties: [.title: "later", .timeRanges: [20.0..<25.0]])])
        var random = SeededGenerator(seed: 11)
        var live: [(session: SHSession, next: Int)] = []
        var past: [Weak] = []
        var readers: [Task<Int, Never>] = []
        let buffers = Self.buffers
        let receivers = [Receiver { $0.delegate = nil }, Receiver(), Receiver { _ = $0.catalog }]
        for number in 0..<Self.sessionCount {
            let session = SHSession(catalog: catalog)
            session.delegate = receivers[number % receivers.count]
            live.append((session, 0))
            past.append(Weak(session: session))
            if number % 25 == 0 {
                let results = session.results
                readers.append(Task { await results.reduce(0) { count, _ in count + 1 } })
            }
            let place = Int.random(in: live.indices, using: &random)
            // One in eight goes on to its end.
            let more = Int.random(in: 0..<8, using: &random) == 0 ? buffers.count : 1
            for buffer in buffers[live[place].next...].prefix(more) {
                live[place].session.matchStreamingBuffer(buffer, at: nil)
                live[place].next += 1
            }
            while live.count > 32 { live.remove(at: Int.random(in: live.indices, using: &random)) }
        }
        live = []
        var outcomes = 0
        for reader in readers { outcomes += await reader.value }
        #expect(outcomes > 0)
        #expect(try await eventually { past.allSatisfy { $0.session == nil } })
    }
}
