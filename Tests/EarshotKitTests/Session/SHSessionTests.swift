import AudioCore
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Collects the outcomes that a delegate receives.
final class DelegateOutcomes: NSObject, SHSessionDelegate, Sendable {
    let matches = Mutex<[SHMatch]>([])
    let misses = Mutex<[(signature: SHSignature, error: (any Error)?)]>([])

    func session(_ session: SHSession, didFind match: SHMatch) { matches.withLock { $0.append(match) } }

    func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {
        misses.withLock { $0.append((signature, error)) }
    }
}

@Suite struct SHSessionTests {
    private func code(_ result: SHSession.Result) -> SHError.Code? {
        if case .error(let error as SHError, _) = result { error.code } else { nil }
    }

    @Test(arguments: 0..<4)
    func aQueryIsFoundAtItsOffset(song: Int) async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        let query = try SongBook.query(song, from: 7.25, seconds: 5)
        guard case .match(let match) = await session.result(from: query) else {
            Issue.record("no match")
            return
        }
        let item = try #require(match.mediaItems.first)
        #expect(item.title == SongBook.title(song))
        #expect(abs(item.matchOffset - 7.25) < 0.005)
        #expect(item.frequencySkew == 0 && item.confidence > 0.9 && item.confidence <= 1)
        #expect(item[.matchOffset] as? Double == item.matchOffset)
        #expect(match.querySignature == query)
    }

    @Test func aStoredQueryMatchesLikeTheOriginal() async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        let query = try SongBook.query(1, from: 3, seconds: 4)
        let stored = try SHSignature(dataRepresentation: query.dataRepresentation)
        guard case .match(let match) = await session.result(from: query),
            case .match(let again) = await session.result(from: stored)
        else {
            Issue.record("no match")
            return
        }
        #expect(match.mediaItems == again.mediaItems)
    }

    /// Audio with a wrong rate has no match, and then a warning that names the rate; later misses have none.
    @Test func aWrongRateIsAWarning() async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        let (warnings, continuation) = AsyncStream.makeStream(of: String.self)
        session.warningHandler = { continuation.yield($0) }
        let audio = SongBook.songs[1].render(from: 2, seconds: 14, sampleRate: 44_100)
        let wrong = AudioBuffer(samples: audio.samples, sampleRate: 41_000)
        for buffer in wrong.pcmBuffers(ofFrames: 4100) { session.matchStreamingBuffer(buffer, at: nil) }
        let id = try SongBook.catalog().references()[1].id
        let warning = await warnings.first { _ in true }
        #expect(warning?.contains("sounds like the reference \"\(id)\" at 93.0 % of its speed") == true)
        #expect(warning?.contains("41000 Hz may be wrong, 44100 Hz would fit") == true, "\(warning ?? "")")
    }

    @Test func unknownAudioHasNoMatch() async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        let query = try SHSignature.of(ScoreSong(seed: 777, seconds: 8).render())
        guard case .noMatch(let tried) = await session.result(from: query) else {
            Issue.record("a match")
            return
        }
        #expect(tried == query)
    }

    @Test func lengthsBeyondTheLimitsNameTheLimits() async throws {
        let catalog = try SongBook.catalog()
        catalog.queryDurations = 2...3
        let session = SHSession(catalog: catalog)
        for seconds in [1.5, 3.5] {
            let result = await session.result(from: try SongBook.query(0, from: 5, seconds: seconds))
            guard case .error(let error, _) = result else {
                Issue.record("no error")
                return
            }
            #expect(SHError.Code.signatureDurationInvalid ~= error)
            #expect(error.localizedDescription.contains("\(seconds) s"))
            #expect(error.localizedDescription.contains("2.0 to 3.0 s"))
        }
        #expect(code(await session.result(from: try SongBook.query(0, from: 5, seconds: 2.5))) == nil)
    }

    @Test func silenceIsAnError() async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        let silence = try SHSignature.of(AudioBuffer(silentFrames: 100_000, sampleRate: 44_100))
        #expect(code(await session.result(from: silence)) == .signatureInvalid)
    }

    @Test func withoutACatalogTheMatchFails() async throws {
        let result = await SHSession().result(from: try SongBook.query(0, from: 1, seconds: 3))
        #expect(code(result) == .matchAttemptFailed)
    }

    /// The microphone's server does not exist, and is not asked for.
    @Test func withoutACatalogTheMicrophoneStaysClosed() async throws {
        let session = SHManagedSession(catalog: SHCatalog(), device: nil, server: "unix:/nowhere")
        guard case .error(let error as SHError, _) = await session.result() else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .matchAttemptFailed && error.message.contains("no catalog is online"))
    }

    @Test func eachMatchReachesDelegateAndResultsOnce() async throws {
        let session = SHSession(catalog: try SongBook.catalog())
        let heard = DelegateOutcomes()
        session.delegate = heard
        session.match(try SongBook.query(2, from: 1, seconds: 4))
        session.match(try SHSignature.of(ScoreSong(seed: 778, seconds: 4).render()))
        var outcomes: [SHSession.Result] = []
        for await outcome in session.results {
            outcomes.append(outcome)
            if outcomes.count == 2 { break }
        }
        guard case .match(let match) = outcomes[0], case .noMatch = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(match.mediaItems[0].title == SongBook.title(2))
        // The delegate follows the results.
        while heard.misses.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(heard.matches.withLock { $0.count } == 1)
        #expect(heard.misses.withLock { $0.count } == 1)
        #expect(heard.misses.withLock { $0[0].error == nil })
    }

    @Test func theDelegateIsWeak() throws {
        let session = SHSession(catalog: try SongBook.catalog())
        do {
            let heard = DelegateOutcomes()
            session.delegate = heard
            #expect(session.delegate != nil)
        }
        #expect(session.delegate == nil)
    }

    @Test func additionsAfterASessionHasTheCatalogAreIgnored() async throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(SongBook.signatures[0], representing: [])
        let session = SHSession(catalog: catalog)
        try catalog.addReferenceSignature(SongBook.signatures[1], representing: [])
        guard case .noMatch = await session.result(from: try SongBook.query(1, from: 3, seconds: 5)) else {
            Issue.record("the addition counts")
            return
        }
        #expect(catalog.referenceCount == 1)
    }

    @Test func resultsEndWithTheSession() async throws {
        var session: SHSession? = SHSession(catalog: try SongBook.catalog())
        let results = try #require(session).results
        session = nil
        var count = 0
        for await _ in results { count += 1 }
        #expect(count == 0)
    }
}
