import AudioCore
import AudioIO
import EarshotKit
import Fingerprinting
import Foundation
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Sessions and commands with a catalog on a server.
@Suite struct HostedCatalogTests {
    private static let song = 1
    private static let chorus = 12.0..<18.0
    private static var lesson: [SHMediaItemProperty: Any] {
        [
            .title: SongBook.title(song), .explicitContent: true,
            .webURL: URL(string: "https://example.org/1") as Any,
            .creationDate: Date(timeIntervalSinceReferenceDate: 700_000_000.5), .genres: ["Rock", "Pop"],
            SHMediaItemProperty("level"): 7, SHMediaItemProperty("weight"): 2.0,
            SHMediaItemProperty("half"): Float(0.1),
            SHMediaItemProperty("bytes"): Data([0, 1, 255]), SHMediaItemProperty("ids"): ["a": 1, "b": 2],
            .shazamID: "4711",
        ]
    }

    private let folder: TemporaryFolder
    private let catalog = SHCustomCatalog()
    private let server: ServerProcess

    init() throws {
        folder = try TemporaryFolder()
        for (song, signature) in SongBook.signatures.enumerated() {
            let items =
                song == Self.song
                ? [
                    SHMediaItem(properties: Self.lesson),
                    SHMediaItem(properties: [.title: "Chorus", .timeRanges: [Self.chorus]]),
                ] : [SHMediaItem(properties: [.title: SongBook.title(song)])]
            try catalog.addReferenceSignature(signature, representing: items)
        }
        let path = folder.file("songs.earcatalog")
        try catalog.write(to: URL(fileURLWithPath: path))
        server = try ServerProcess(["--catalog", path, "--requests-per-second", "0"])
    }

    private func hosted(_ address: String? = nil) throws -> SHCatalog {
        .hosted(try #require(URL(string: address ?? server.address)))
    }

    private func items(_ result: SHSession.Result) throws -> [SHMatchedMediaItem] {
        guard case .match(let match) = result else {
            Issue.record("\(result)")
            return []
        }
        return match.mediaItems
    }

    @Test func aSessionMatchesAsWithTheCatalogAtHand() async throws {
        let query = try SongBook.query(Self.song, from: 9, seconds: 5)
        let here = try items(await SHSession(catalog: catalog).result(from: query))
        let there = try items(await SHSession(catalog: hosted()).result(from: query))
        #expect(here.count == 2 && there.map(\.title) == here.map(\.title))
        for (a, b) in zip(here, there) {
            #expect(a.id == b.id && a.referenceID == b.referenceID)
            #expect(a.matchOffset == b.matchOffset && a.confidence == b.confidence)
            #expect(a.timeSkew == b.timeSkew && a.frequencySkew == b.frequencySkew)
            #expect(a.matchOffsetError == b.matchOffsetError)
        }
        let lesson = try #require(there.first { $0.shazamID == "4711" })
        #expect(lesson.stored == SHMediaItem(properties: Self.lesson).stored)
    }

    @Test func theEnvironmentNamesTheCatalog() async throws {
        let query = try SongBook.query(0, from: 9, seconds: 5)
        let named = SHCatalog.configured(by: ["EARSHOT_CATALOG_URL": server.address])
        #expect(try items(await SHSession(catalog: named).result(from: query)).map(\.title) == ["Song 0"])
        for (value, words) in [
            ("", "EARSHOT_CATALOG_URL"), ("songs.earcatalog", "not the address"),
            ("ftp://a", "not the address"),
        ] {
            let result = await SHSession(catalog: .configured(by: ["EARSHOT_CATALOG_URL": value])).result(
                from: query)
            guard case .error(let error as SHError, _) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(error.code == .matchAttemptFailed && error.message.contains(words), "\(error.message)")
        }
    }

    /// A program whose source names no catalog.
    @Test func aProgramNeedsNothingButTheVariable() throws {
        let paths = try [0, 2].map { song in
            let path = folder.file("\(song).earsignature")
            try SongBook.query(song, from: 9, seconds: 5).dataRepresentation
                .write(to: URL(fileURLWithPath: path))
            return path
        }
        func run(_ environment: [String: String]) throws -> EarshotProcess {
            try EarshotProcess(
                shell: "exec \"$(dirname \"$EARSHOT\")/SessionProgram\" '\(paths[0])' '\(paths[1])'",
                environment: environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 })
        }
        let lines = try run(["EARSHOT_CATALOG_URL": server.address]).output.split(separator: "\n")
        #expect(lines.count == 2)
        for (line, title) in zip(lines, ["Song 0", "Song 2"]) {
            #expect(line.contains("\"title\":\"\(title)\""), "\(line)")
        }
        let without = try run(["EARSHOT_CATALOG_URL": ""])
        #expect(without.status == 0 && without.output.contains("EARSHOT_CATALOG_URL"), "\(without.output)")
    }

    @Test func theConfigurationFileNamesTheCatalog() async throws {
        let query = try SongBook.query(0, from: 9, seconds: 5)
        let home = folder.file("home")
        let path = home + "/.config/earshot/catalog.json"
        try FileManager.default.createDirectory(
            atPath: home + "/.config/earshot", withIntermediateDirectories: true)
        func result(_ text: String, mode: Int = 0o600, more: [String: String] = [:]) async throws
            -> SHSession.Result
        {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let environment = ["HOME": home].merging(more) { $1 }
            return await SHSession(catalog: .configured(by: environment)).result(from: query)
        }
        let named = #"{"url": "\#(server.address)", "token": "0123456789abcdef"}"#
        #expect(try items(await result(named)).map(\.title) == ["Song 0"])
        // A relative folder does not count, and the environment comes first.
        #expect(
            try items(await result(named, more: ["XDG_CONFIG_HOME": "config"])).map(\.title) == ["Song 0"])
        let other = ["EARSHOT_CATALOG_URL": server.address]
        #expect(try items(await result("{", more: other)).map(\.title) == ["Song 0"])
        for (text, mode, more, words) in [
            ("{", 0o600, [:], path), (#"{"url": 1}"#, 0o600, [:], path),
            (#"{"url": "songs.earcatalog"}"#, 0o600, [:], "not the address"),
            (named, 0o644, [:], "chmod 600"),
            (named, 0o600, ["XDG_CONFIG_HOME": "/none"], "EARSHOT_CATALOG_URL"),
        ] {
            guard case .error(let error as SHError, _) = try await result(text, mode: mode, more: more) else {
                Issue.record("\(text)")
                continue
            }
            #expect(error.code == .matchAttemptFailed && error.message.contains(words), "\(error.message)")
        }
    }

    @Test func itemsAreFetchedByShazamID() async throws {
        let item = try await SHMediaItem.fetch(shazamID: "4711", from: hosted())
        #expect(item.title == SongBook.title(Self.song))
        let query = try SongBook.query(0, from: 9, seconds: 5)
        let found = try #require(try items(await SHSession(catalog: hosted()).result(from: query)).first)
        let given = try #require(found.shazamID)
        #expect(try await SHMediaItem.fetch(shazamID: given, from: hosted()).id == found.id)
        for id in ["4712", "", "a/b?c#d%00"] {
            await #expect { try await SHMediaItem.fetch(shazamID: id, from: hosted()) } throws: {
                ($0 as? SHError)?.code == .mediaItemFetchFailed
            }
        }
    }

    /// The titles that a stream of a song reports, with the stream's time of each change.
    private func changes(_ catalog: SHCatalog, seconds: Double) -> [(titles: [String], seconds: Double)] {
        let clock = ManualClock()
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let receiver = Receiver()
        session.delegate = receiver
        var changes: [(titles: [String], seconds: Double)] = []
        let audio = SongBook.songs[Self.song].render(from: 0, seconds: seconds)
        for buffer in audio.pcmBuffers(ofFrames: 1600) {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(audio.sampleRate)))
            session.matchStreamingBuffer(buffer, at: nil)
            for titles in receiver.take() where changes.last?.titles != titles {
                changes.append((titles, clock.now.elapsed.seconds))
            }
        }
        return changes
    }

    private final class Receiver: NSObject, SHSessionDelegate, Sendable {
        private let found = Mutex<[[String]]>([])

        func session(_ session: SHSession, didFind match: SHMatch) {
            found.withLock { $0.append(match.mediaItems.compactMap(\.title)) }
        }

        func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?) {
            found.withLock { $0.append(["nothing"]) }
        }

        func take() -> [[String]] {
            found.withLock { found in
                defer { found = [] }
                return found
            }
        }
    }

    @Test func aStreamIsFollowedHereAndOnlySignaturesLeave() throws {
        let relay = try RecordingRelay(to: server.port)
        let changes = changes(try hosted(relay.address), seconds: 24)
        #expect(changes.map(\.titles) == [["Song 1"], ["Chorus", "Song 1"], ["Song 1"]])
        #expect((3...4.1).contains(changes[0].seconds))
        for (change, expected) in zip(changes.dropFirst(), [Self.chorus.lowerBound, Self.chorus.upperBound]) {
            #expect(abs(change.seconds - expected) <= 0.11)
        }
        // The clip at hand would be 44 kB a second.
        #expect((1...4).contains(relay.requests.count))
        for request in relay.requests {
            #expect(request.method == "POST" && request.path == "/v1/match?followSeconds=60.0")
            let signature = try Signature(encoded: request.body, name: "the body")
            #expect((2.9...12).contains(signature.durationSeconds))
            #expect(signature.encoded() == request.body)
        }
    }

    /// The server answers only after all audio was given.
    @Test(.timeLimit(.minutes(5))) func aStreamDoesNotWaitForTheServer() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let relay = try RecordingRelay(
            to: server.port,
            then: .change {
                mayAnswer.wait()
                mayAnswer.signal()
                return $0
            })
        let session = SHSession(catalog: try hosted(relay.address))
        let results = session.results
        let audio = SongBook.songs[Self.song].render(from: 2, seconds: 8)
        for buffer in audio.pcmBuffers(ofFrames: 1600) { session.matchStreamingBuffer(buffer, at: nil) }
        mayAnswer.signal()
        guard case .match(let match) = await results.first(where: { _ in true }) else {
            Issue.record("no match")
            return
        }
        #expect(match.mediaItems.first?.title == SongBook.title(Self.song))
        withExtendedLifetime(session) {}
    }

    @Test func aServerThatGoesAwayDoesNotEndTheFollowing() throws {
        let relay = try RecordingRelay(to: server.port, treatments: [.forward], then: .closeConnection)
        let changes = changes(try hosted(relay.address), seconds: 24)
        #expect(changes.map(\.titles) == [["Song 1"], ["Chorus", "Song 1"], ["Song 1"]])
    }

    @Test func aPassingFaultIsRepeatedOnce() async throws {
        let query = try SongBook.query(0, from: 9, seconds: 5)
        for fault in [RecordingRelay.Treatment.closeConnection, .answer(status: 503, body: "busy")] {
            let relay = try RecordingRelay(to: server.port, treatments: [fault])
            let found = try items(await SHSession(catalog: hosted(relay.address)).result(from: query))
            #expect(found.map(\.title) == ["Song 0"])
            #expect(relay.requests.count == 2)
        }
    }

    @Test(arguments: [
        (RecordingRelay.Treatment.closeConnection, SHError.Code.matchAttemptFailed, "cannot be reached", 2),
        (.answer(status: 503, body: "busy"), .matchAttemptFailed, "status 503", 2),
        (.answer(status: 302, body: ""), .matchAttemptFailed, "status 302", 1),
        (.answer(status: 200, body: "<html>"), .matchAttemptFailed, "no catalog", 1),
        (
            .answer(
                status: 200, body: #"{"catalogHours":1,"generation":1,"isPartial":true,"references":[]}"#),
            .matchAttemptFailed, "parts of the catalog", 1
        ),
        (
            .answer(
                status: 401,
                body: #"{"error":{"code":"tokenMissing","message":"a token","remedy":"Send it."}}"#),
            .matchAttemptFailed, "a token", 1
        ),
        (
            .answer(
                status: 409,
                body: #"{"error":{"code":"analysisDiffers","message":"other","remedy":"Make it."}}"#),
            .matchAttemptFailed, "Make it", 1
        ),
        (
            .answer(
                status: 400, body: #"{"error":{"code":"signatureInvalid","message":"bad","remedy":"."}}"#),
            .signatureInvalid, "bad", 1
        ),
        (
            .answer(
                status: 422, body: #"{"error":{"code":"durationInvalid","message":"long","remedy":"."}}"#),
            .signatureDurationInvalid, "long", 1
        ),
    ])
    func faultsAreTheDocumentedErrors(
        _ treatment: RecordingRelay.Treatment, _ code: SHError.Code, _ words: String, _ requests: Int
    ) async throws {
        let relay = try RecordingRelay(to: server.port, then: treatment)
        let query = try SongBook.query(0, from: 9, seconds: 5)
        let result = await SHSession(catalog: try hosted(relay.address)).result(from: query)
        guard case .error(let error as SHError, _) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.code == code)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(relay.requests.count == requests)
    }

    @Test func numbersThatNoCatalogAnswersAreRefused() async throws {
        let query = try SongBook.query(Self.song, from: 9, seconds: 5)
        for (path, value) in ForgedAnswer.refused {
            let relay = try RecordingRelay(
                to: server.port, then: .change { ForgedAnswer.replacing(path, by: value, in: $0) })
            let result = await SHSession(catalog: try hosted(relay.address)).result(from: query)
            guard case .error(let error as SHError, _) = result else {
                Issue.record("\(path) \(value): \(result)")
                continue
            }
            #expect(error.message.contains("what no catalog does"), "\(path) \(value): \(error.message)")
        }
    }

    /// Sessions and streams end none of the processes that get forged answers.
    @Test func mutatedAnswersEndNothing() async throws {
        let query = try SongBook.query(Self.song, from: 9, seconds: 5)
        let relay = try RecordingRelay(to: server.port, then: ForgedAnswer.mutating(from: 1))
        let session = SHSession(catalog: try hosted(relay.address))
        for _ in 0..<100 { _ = await session.result(from: query) }
        for _ in 0..<5 { _ = changes(try hosted(relay.address), seconds: 9) }
        #expect(relay.requests.count >= 110)
    }

    @Test func aTokenIsNotSentWhereOthersReadIt() async throws {
        let query = try SongBook.query(0, from: 9, seconds: 5)
        let address = try #require(URL(string: "http://192.0.2.1"))
        guard
            case .error(let error as SHError, _) = await SHSession(
                catalog: .hosted(address, token: "0123456789abcdef")
            ).result(from: query)
        else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .matchAttemptFailed && error.message.contains("without encryption"))
        let update = try EarshotProcess(
            "custom-catalog", "update", "--catalog", "http://192.0.2.1", "-s",
            folder.file("songs.earcatalog"),
            environment: ["EARSHOT_CATALOG_TOKEN": "0123456789abcdef"])
        #expect(update.status == 1 && update.errors.contains("EARSHOT_CATALOG_TOKEN_OVER_HTTP"))
    }

    @Test func queriesOutsideTheLimitsDoNotLeave() async throws {
        let relay = try RecordingRelay(to: server.port)
        for seconds in [0.5, 13] {
            let query = try SongBook.query(0, from: 2, seconds: seconds)
            let result = await SHSession(catalog: try hosted(relay.address)).result(from: query)
            guard case .error(let error as SHError, _) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(error.code == .signatureDurationInvalid)
        }
        #expect(relay.requests.isEmpty)
    }

    @Test func commandsTakeTheAddressForAFile() throws {
        let wav = try #require(AudioEncoding("wav-pcm16"))
        // Longer than a request may be, and what a catalog knows begins late in it.
        let quiet = AudioBuffer(samples: [Float](repeating: 0, count: 16_000 * 5), sampleRate: 16_000)
        let song = SongBook.songs[2].render(from: 3, seconds: 20)
        let audio = AudioBuffer(samples: quiet.samples + song.samples, sampleRate: 16_000)
        try AudioFile.write(audio, to: folder.file("query.wav"), as: wav)
        func answers(_ catalog: String) throws -> [MatchTests.Line.Answer] {
            let run = try EarshotProcess("match", "--catalog", catalog, folder.file("query.wav"))
            #expect(run.status == 0, "\(run.errors) \(run.output)")
            return try JSONDecoder().decode(MatchTests.Line.self, from: Data(run.output.utf8)).answers
        }
        let here = try answers(folder.file("songs.earcatalog"))
        let there = try answers(server.address)
        #expect(here.count == 1 && there.map(\.title) == here.map(\.title))
        #expect(abs(there[0].matchOffset - here[0].matchOffset) < 0.002)
        let both = try EarshotProcess(
            "match", "--catalog", server.address, "--catalog", folder.file("songs.earcatalog"), "query.wav")
        #expect(both.status == 1 && both.errors.contains("name the server alone"))
        try audio.samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: folder.file("samples")))
        let listen = try EarshotProcess(
            shell:
                "\"$EARSHOT\" listen --catalog \(server.address) --raw f32le --rate 16000 --once < \(folder.file("samples"))"
        )
        #expect(listen.status == 0 && listen.output.contains("Song 2"))
    }

    @Test func aTokenIsTakenFromTheEnvironment() throws {
        let tokens = folder.file("tokens")
        try "phones match 0123456789abcdef\n".write(toFile: tokens, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
        let guarded = try ServerProcess(["--catalog", folder.file("songs.earcatalog"), "--tokens", tokens])
        try SongBook.query(0, from: 5, seconds: 5).dataRepresentation
            .write(to: URL(fileURLWithPath: folder.file("query.earsignature")))
        let arguments = ["match", "--catalog", guarded.address, folder.file("query.earsignature")]
        let without = try EarshotProcess(arguments: arguments)
        #expect(without.status == 1)
        #expect(without.output.contains("EARSHOT_CATALOG_TOKEN"), "\(without.output) \(without.errors)")
        let with = try EarshotProcess(
            "match", "--catalog", guarded.address, folder.file("query.earsignature"),
            environment: ["EARSHOT_CATALOG_TOKEN": "0123456789abcdef"])
        #expect(with.status == 0 && with.output.contains("Song 0"))
    }
}
