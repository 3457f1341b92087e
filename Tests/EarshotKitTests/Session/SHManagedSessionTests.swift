import EarshotKit
import KitTestSupport
import Observation
import Synchronization
import TestSupport
import Testing

/// Sessions at a virtual microphone.
@Suite(
    .enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired), .timeLimit(.minutes(5)),
    .tags(.timed))
struct SHManagedSessionTests {
    private let virtual: VirtualMicrophone

    init() throws { virtual = try VirtualMicrophone() }

    private func makeSession(device: String? = nil) throws -> SHManagedSession {
        SHManagedSession(catalog: try SongBook.catalog(), device: device, server: virtual.server)
    }

    /// Waits until observers have seen a state.
    private func wait(for state: SHManagedSession.State, of session: SHManagedSession) async throws {
        try #require(try await eventually { await session.state == state }, "the state is never \(state)")
    }

    @Test(arguments: [1, 3])
    func aResultNamesThePlayedSong(song: Int) async throws {
        let session = try makeSession()
        let result = try await virtual.play(SongBook.songs[song].render(from: 3, seconds: 20)) {
            await session.result()
        }
        guard case .match(let match) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(match.mediaItems.map(\.title) == [SongBook.title(song)])
        #expect(match.mediaItems.allSatisfy { (2...24).contains($0.matchOffset) })
        #expect(try virtual.recordingCount() == 0)
    }

    @Test func aResultWithinASharedIntroNamesAllEpisodes() async throws {
        let session = SHManagedSession(
            catalog: try EpisodeBook.catalog(), device: nil, server: virtual.server)
        let result = try await virtual.play(EpisodeBook.excerpt(40, 1..<11)) { await session.result() }
        guard case .match(let match) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(Set(match.mediaItems.compactMap(\.title)) == EpisodeBook.titles)
        #expect(match.mediaItems.count == EpisodeBook.count)
    }

    @Test func aResultAfterASharedIntroNamesItsEpisode() async throws {
        let session = SHManagedSession(
            catalog: try EpisodeBook.catalog(), device: nil, server: virtual.server)
        let start = EpisodeBook.introSeconds + 1
        let result = try await virtual.play(EpisodeBook.excerpt(40, start..<(start + 9))) {
            await session.result()
        }
        guard case .match(let match) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(match.mediaItems.map(\.title) == [EpisodeBook.title(40)])
    }

    /// Nothing is played later, so the match is due to audio recorded before.
    @Test func audioAfterThePreparationCountsForTheResult() async throws {
        let session = try makeSession()
        await session.prepare()
        try virtual.play(SongBook.songs[2].render(from: 8, seconds: 5))
        try virtual.suspend()
        let result = await session.result()
        guard case .match(let match) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(match.mediaItems.first?.title == SongBook.title(2))
    }

    /// Immediate and later matching predict the same position at any moment.
    @Test func thePositionIsPredictedFromTheRecordingTime() async throws {
        let session = try makeSession()
        await session.prepare()
        let audio = SongBook.songs[0].render(from: 0, seconds: 30)
        let items = try await virtual.play(audio) {
            try await Task.sleep(for: .seconds(7))
            var items: [SHMatchedMediaItem] = []
            for _ in 0..<2 {
                if case .match(let match) = await session.result() { items += match.mediaItems }
            }
            return items
        }
        try #require(items.count == 2)
        let positions = items.map(\.predictedCurrentMatchOffset)
        // A busy machine delivers audio late. The earlier recording was 7 s long.
        #expect(abs(positions[1] - positions[0]) < 2.5, "\(positions), found at \(items.map(\.matchOffset))")
    }

    @Test func silenceHasNoMatch() async throws {
        let session = try makeSession()
        guard case .noMatch(let query) = await session.result() else {
            Issue.record("not without a match")
            return
        }
        #expect(query.duration > 0)
        #expect(try virtual.recordingCount() == 0)
    }

    @Test func observersSeeTheStates() async throws {
        let session = try makeSession()
        let shown = await ShownStates(of: session)
        #expect(await session.state == .idle)
        await session.prepare()
        #expect(await session.state == .prerecording)
        #expect(try virtual.recordingCount() == 1)
        await session.prepare()
        #expect(await session.state == .prerecording)
        let audio = SongBook.songs[0].render(from: 3, seconds: 20)
        for _ in 0..<2 { _ = try await virtual.play(audio) { await session.result() } }
        #expect(await session.state == .idle)
        #expect(await shown.past == [.idle, .prerecording, .matching, .idle, .matching])
    }

    @Test func preparingWhileMatchingIsIgnored() async throws {
        let session = try makeSession()
        let results = session.results
        try await wait(for: .matching, of: session)
        await session.prepare()
        #expect(await session.state == .matching)
        #expect(try virtual.recordingCount() == 1)
        withExtendedLifetime(results) {}
        session.cancel()
        for await _ in results {}
    }

    @Test func resultsContinueUntilCancelledAndEndThen() async throws {
        let session = try makeSession()
        let titles = try await virtual.play(SongBook.songs[1].render(from: 1, seconds: 25)) {
            var titles: [String?] = []
            for await case .match(let match) in session.results {
                titles += match.mediaItems.map(\.title)
                guard titles.count == 2 else { continue }
                #expect(await session.state == .matching)
                // The loop ends with the outcomes found before.
                session.cancel()
                let recordings = try virtual.recordingCount()
                #expect(recordings == 0)
            }
            return titles
        }
        #expect(titles.count >= 2 && titles.allSatisfy { $0 == SongBook.title(1) })
        try await wait(for: .idle, of: session)
        // A cancelled session is reusable.
        await session.prepare()
        #expect(await session.state == .prerecording)
        #expect(try virtual.recordingCount() == 1)
    }

    @Test func droppedResultsFreeTheDevice() async throws {
        let session = try makeSession()
        do {
            let results = session.results
            try await wait(for: .matching, of: session)
            #expect(try virtual.recordingCount() == 1)
            withExtendedLifetime(results) {}
        }
        try await wait(for: .idle, of: session)
        #expect(try virtual.recordingCount() == 0)
    }

    @Test func resultsKeepTheirSession() async throws {
        let results = try makeSession().results
        let audio = SongBook.songs[3].render(from: 1, seconds: 20)
        let title = try await virtual.play(audio) {
            for await case .match(let match) in results { return match.mediaItems.first?.title }
            return nil
        }
        #expect(title == SongBook.title(3))
    }

    @Test func cancellingFreesTheDevice() async throws {
        let session = try makeSession()
        await session.prepare()
        #expect(try virtual.recordingCount() == 1)
        session.cancel()
        #expect(try virtual.recordingCount() == 0)
        try await wait(for: .idle, of: session)
        session.cancel()
    }

    @Test(arguments: [false, true])
    func aPendingResultIsCancelled(byItsTask: Bool) async throws {
        let session = try makeSession()
        // Silence would eventually give no match.
        try virtual.suspend()
        let waiting = Task { await session.result() }
        try await wait(for: .matching, of: session)
        #expect(try virtual.recordingCount() == 1)
        if byItsTask { waiting.cancel() } else { session.cancel() }
        if !byItsTask { #expect(try virtual.recordingCount() == 0) }
        try expect(await waiting.value, says: "the session was cancelled")
        #expect(try virtual.recordingCount() == 0)
        try await wait(for: .idle, of: session)
    }

    @Test func aDeallocatedSessionFreesTheDevice() async throws {
        do {
            let session = try makeSession()
            await session.prepare()
            #expect(try virtual.recordingCount() == 1)
        }
        #expect(try virtual.recordingCount() == 0)
    }

    @Test func aMissingSourceIsNamed() async throws {
        let session = try makeSession(device: "nothing")
        try expect(await session.result(), says: "no source called \"nothing\"")
        #expect(await session.state == .idle)
        await session.prepare()
        #expect(await session.state == .idle)
        try expect(await session.result(), says: virtual.server)
        for await result in session.results {
            try expect(result, says: "\"nothing\"")
            session.cancel()
        }
    }

    @Test func aLostServerIsAnError() async throws {
        let session = try makeSession()
        try virtual.suspend()
        let results = session.results
        try await wait(for: .matching, of: session)
        virtual.stop()
        try await wait(for: .idle, of: session)
        var reader = results.makeAsyncIterator()
        try expect(try #require(await reader.next()), says: "the recording broke off")
        session.cancel()
        #expect(await reader.next() == nil)
    }

    @Test func aServerLostBeforeARequestIsAnErrorThen() async throws {
        let session = try makeSession()
        await session.prepare()
        virtual.stop()
        try await wait(for: .idle, of: session)
        try expect(await session.result(), says: "cannot be reached")
    }

    @Test func concurrentRequestsAllGetResults() async throws {
        let session = try makeSession()
        let titles = try await virtual.play(SongBook.songs[2].render(from: 1, seconds: 25)) {
            await withTaskGroup(of: String?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        guard case .match(let match) = await session.result() else { return nil }
                        return match.mediaItems.first?.title
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(titles == [String?](repeating: SongBook.title(2), count: 4))
        try await wait(for: .idle, of: session)
        #expect(try virtual.recordingCount() == 0)
    }

    /// Runs all calls concurrently; nobody waits forever, and the device is free in the end.
    @Test func aSessionEndsIdleInAnyOrderOfCalls() async throws {
        let session = try makeSession()
        let returned = Counter()
        for number in 0..<24 {
            Task {
                switch number % 4 {
                case 0: _ = await session.result()
                case 1: for await _ in session.results { break }
                case 2: await session.prepare()
                default: session.cancel()
                }
                returned.add()
            }
        }
        let allReturned = try await eventually {
            // A later cancellation ends the wait.
            session.cancel()
            return returned.count == 24
        }
        #expect(allReturned, "of 24 calls \(returned.count) return")
        session.cancel()
        #expect(try await eventually { try virtual.recordingCount() == 0 }, "the device is not free")
        try await wait(for: .idle, of: session)
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }
    func add() { value.add(1, ordering: .sequentiallyConsistent) }
}
@Suite(.tags(.timed)) struct MissingMicrophoneTests {
    @Test func theResultSaysThatThereIsNoServer() async throws {
        let session = SHManagedSession(
            catalog: try SongBook.catalog(), device: nil, server: "unix:/nowhere/socket")
        await session.prepare()
        try expect(await session.result(), says: "unix:/nowhere/socket cannot be reached")
        #expect(await session.state == .idle)
    }
}

/// Expects `SHError` 202 with certain words.
private func expect(
    _ result: SHSession.Result, says words: String, at location: SourceLocation = #_sourceLocation
) throws {
    guard case .error(let error as SHError, _) = result else {
        Issue.record("\(result)", sourceLocation: location)
        return
    }
    #expect(error.code == .matchAttemptFailed, sourceLocation: location)
    #expect(error.localizedDescription.contains(words), sourceLocation: location)
}

/// The states that observers have seen.
@MainActor private final class ShownStates {
    private(set) var past: [SHManagedSession.State] = []

    init(of session: SHManagedSession) { watch(session) }

    private func watch(_ session: SHManagedSession) {
        let state = withObservationTracking {
            session.state
        } onChange: { [weak self, weak session] in
            MainActor.assumeIsolated {
                guard let self, let session else { return }
                self.past.append(session.state)
                self.watch(session)
            }
        }
        _ = state
    }
}
