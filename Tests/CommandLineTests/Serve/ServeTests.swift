import AudioCore
import EarshotKit
import Fingerprinting
import Foundation
import KitTestSupport
import TestSupport
import Testing

/// `earshot serve`: what it answers, and what it does not let clients do.
@Suite struct ServeTests {
    private let songs: ServedSongs

    init() throws { songs = try ServedSongs() }

    private struct Reply: Decodable {
        struct Reference: Decodable {
            let reference: String
            let matchOffset, score: Double
        }
        let references: [Reference]
        let generation: Int
    }

    private func reply(_ answer: RawConnection.Answer?) throws -> Reply {
        let answer = try #require(answer)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try JSONDecoder().decode(Reply.self, from: Data(answer.body))
    }

    @Test func answersAreThoseOfTheCatalog() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        let engine = try SHCustomCatalog(merging: [songs.path]).engine()
        for song in SongBook.songs.indices {
            let body = try ServedSongs.query(song)
            let expected = try engine.matchAll(Query(Signature(encoded: body, name: "query"))).filter(
                \.isAccepted)
            let reply = try reply(RawConnection.ask(server.port, "POST", "/v1/match", body: body))
            #expect(reply.references.map(\.reference) == expected.map(\.referenceID))
            #expect(reply.references.map(\.matchOffset) == expected.map(\.offsetSeconds))
            #expect(reply.references.map(\.score) == expected.map(\.score))
        }
    }

    @Test func severalFilesAnswerAsOne() throws {
        let parts = try SongBook.signatures.enumerated().map { song, signature in
            let part = SHCustomCatalog()
            try part.addReferenceSignature(
                signature, representing: [SHMediaItem(properties: [.title: SongBook.title(song)])])
            let path = songs.folder.file("\(song).earcatalog")
            try part.write(to: URL(fileURLWithPath: path))
            return path
        }
        let whole = try ServerProcess(["--catalog", songs.path])
        let divided = try ServerProcess(parts.flatMap { ["--catalog", $0] })
        for song in SongBook.songs.indices {
            let body = try ServedSongs.query(song)
            let one = try reply(RawConnection.ask(whole.port, "POST", "/v1/match", body: body))
            let several = try reply(RawConnection.ask(divided.port, "POST", "/v1/match", body: body))
            #expect(!one.references.isEmpty)
            #expect(one.references.map(\.reference) == several.references.map(\.reference))
            #expect(one.references.map(\.matchOffset) == several.references.map(\.matchOffset))
        }
    }

    private static let silence = Signature.ofNothing()

    /// Bodies that are no query, and their answers.
    private static func badBodies() throws -> [(name: String, body: [UInt8], status: Int, code: String)] {
        let good = try ServedSongs.query(0)
        let long = try SongBook.query(1, from: 0, seconds: 13).dataRepresentation
        let short = try SongBook.query(1, from: 3, seconds: 0.5).dataRepresentation
        var flipped = good
        flipped[good.count / 2] ^= 0x40
        return [
            ("nothing", [], 400, "signatureInvalid"), ("text", Array("audio".utf8), 400, "signatureInvalid"),
            ("half", Array(good[..<(good.count / 2)]), 400, "signatureInvalid"),
            ("flipped", flipped, 400, "signatureInvalid"), ("longer", good + [0], 400, "signatureInvalid"),
            ("13 s", [UInt8](long), 422, "durationInvalid"),
            ("0.5 s", [UInt8](short), 422, "durationInvalid"),
            ("silence", silentSeconds(5).encoded(), 400, "signatureInvalid"),
            ("other analysis", try otherAnalysis().encoded(), 409, "analysisDiffers"),
            ("64 kB", [UInt8](repeating: 7, count: 65_537), 413, "bodyTooLarge"),
        ]
    }

    private static func silentSeconds(_ seconds: Int) -> Signature {
        Signature(
            peaks: [], frameCount: 16_000 * seconds, sampleRate: 16_000, keptRanks: 16, channelsCancel: false,
            analysisIdentity: silence.analysisIdentity)
    }

    private static func otherAnalysis() throws -> Signature {
        let query = try SongBook.query(0, from: 7, seconds: 5)
        let good = try Signature(encoded: [UInt8](query.dataRepresentation), name: "query")
        return Signature(
            peaks: good.peaks, frameCount: good.frameCount, sampleRate: good.sampleRate,
            keptRanks: good.keptRanks, channelsCancel: false, analysisIdentity: good.analysisIdentity ^ 1)
    }

    @Test func whatIsNoQueryHasItsStatusAndARemedy() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        for (name, body, status, code) in try Self.badBodies() {
            let answer = try RawConnection.ask(server.port, "POST", "/v1/match", body: body)
            #expect(answer?.status == status, "\(name)")
            #expect(answer?.faultCode == code, "\(name)")
        }
        for (method, path, status, code) in [
            ("GET", "/v1/match", 405, "methodNotAllowed"), ("DELETE", "/health", 405, "methodNotAllowed"),
            ("GET", "/", 404, "notFound"), ("GET", "/v1/items/%ff", 404, "notFound"),
            ("GET", "/v1/items/1", 404, "notFound"), ("GET", "/../../etc/passwd", 404, "notFound"),
        ] {
            let answer = try RawConnection.ask(server.port, method, path)
            #expect(answer?.status == status, "\(method) \(path)")
            #expect(answer?.faultCode == code, "\(method) \(path)")
        }
        for parameters in ["followSeconds=-1", "followSeconds=nan", "wholeHours=inf", "minimumScore=", "x=1"]
        {
            let answer = try RawConnection.ask(
                server.port, "POST", "/v1/match?" + parameters, body: ServedSongs.query(0))
            #expect(answer?.faultCode == "badRequest", "\(parameters)")
        }
        #expect(server.isRunning)
        #expect(
            try reply(RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(0)))
                .references.count == 1)
    }

    @Test func answersToHeadHaveNoBodyAndConnectionsAreKept() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        let connection = try RawConnection(port: server.port)
        let body = try ServedSongs.query(0)
        let head = "HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n"
        let match =
            "POST /v1/match HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
        let last = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        connection.send(Array((head + match).utf8) + body + Array(last.utf8))
        let bytes = try #require(connection.readToEnd())
        let text = String(decoding: bytes, as: UTF8.self)
        let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
        #expect(statuses == ["405", "100", "200", "200"])
        #expect(!text.contains("methodNotAllowed") && text.hasSuffix("{\"status\":\"ok\"}"))
    }

    /// As many peaks as a body can have, at random places: no audio has so many.
    @Test func aForgedQueryOfVeryManyPeaksIsAnswered() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        var generator = SeededGenerator(seed: 11)
        let peaks = stride(from: UInt32(0), to: 24_000, by: 2).map { time in
            Peak(
                time: time, frequency: UInt16(200 + generator.index(below: 15_000)),
                rank: UInt8(generator.index(below: 16)), height: 40)
        }
        let forged = Signature(
            peaks: peaks, frameCount: 16_000 * 12, sampleRate: 16_000, keptRanks: 16, channelsCancel: false,
            hasHeights: true, analysisIdentity: Self.silence.analysisIdentity)
        let body = forged.encoded()
        #expect((60_000...65_536).contains(body.count))
        let answer = try RawConnection.ask(server.port, "POST", "/v1/match", body: body)
        #expect(try reply(answer).references.isEmpty)
    }

    @Test func aBodyWithoutALengthIsCutOffAtTheLimit() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        let connection = try RawConnection(port: server.port)
        connection.send(
            Array("POST /v1/match HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
        let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 1, count: 4096) + Array("\r\n".utf8)
        var isOpen = true
        for _ in 0..<40 where isOpen { isOpen = connection.send(chunk) }
        #expect(connection.readToEnd().flatMap(RawConnection.answer)?.faultCode == "bodyTooLarge")
    }

    @Test func bytesThatAreNoHTTPCloseTheConnection() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        for text in [
            "\u{1}\u{2}\u{3}\r\n\r\n", "GET\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        ] {
            let connection = try RawConnection(port: server.port)
            connection.send(Array(text.utf8))
            let status = connection.readToEnd().flatMap(RawConnection.answer)?.status
            #expect(status == nil || status == 400, "\(text)")
        }
        let headers = try RawConnection.ask(
            server.port, "GET", "/health", headers: ["X-Long: " + String(repeating: "a", count: 200_000)])
        #expect(headers?.status != 200)
        #expect(try RawConnection.ask(server.port, "GET", "/health")?.status == 200)
    }

    @Test func slowClientsAreClosedAndHoldUpNoOne() throws {
        let server = try ServerProcess(["--catalog", songs.path, "--patience", "1"])
        let head = "POST /v1/match HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
        let withoutHead = try (0..<30).map { _ in try RawConnection(port: server.port) }
        let withoutBody = try (0..<30).map { _ in try RawConnection(port: server.port) }
        for connection in withoutHead { connection.send(Array("POST /v1/match HT".utf8)) }
        for connection in withoutBody { connection.send(Array((head + "x").utf8)) }
        let reply = try reply(RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(2)))
        #expect(reply.references.count == 1)
        for connection in withoutHead { #expect(connection.readToEnd() == []) }
        for connection in withoutBody {
            #expect(connection.readToEnd().flatMap(RawConnection.answer)?.faultCode == "requestTimeout")
        }
    }

    @Test func tokensDecideWhoMayMatch() throws {
        let tokens = songs.folder.file("tokens")
        try "# who\nphones match 0123456789abcdef\n".write(toFile: tokens, atomically: true, encoding: .utf8)
        let refused = try EarshotProcess("serve", "--catalog", songs.path, "--tokens", tokens)
        #expect(refused.status == 1 && refused.errors.contains("chmod"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
        let server = try ServerProcess(["--catalog", songs.path, "--tokens", tokens, "--verbose"])
        let body = try ServedSongs.query(0)
        func ask(_ headers: [String]) throws -> RawConnection.Answer? {
            try RawConnection.ask(server.port, "POST", "/v1/match", headers: headers, body: body)
        }
        let missing = try ask([])
        #expect(missing?.status == 401 && missing?.faultCode == "tokenMissing")
        #expect(missing?.headers["www-authenticate"] == "Bearer")
        for wrong in [
            "Bearer 0123456789abcdeX", "Bearer ", "Bearer 0123456789abcdef0", "Basic 0123456789abcdef",
        ] {
            #expect(try ask(["Authorization: \(wrong)"])?.status == 401, "\(wrong)")
        }
        #expect(try ask(["Authorization: Bearer 0123456789abcdef"])?.status == 200)
        #expect(try RawConnection.ask(server.port, "GET", "/health")?.status == 200)
        #expect(try RawConnection.ask(server.port, "GET", "/v1/catalog")?.status == 401)
        let ended = try server.end()
        #expect(ended.status == 0)
        #expect(ended.errors.contains("/v1/match"))
        #expect(!ended.errors.contains("0123456789abcde") && !ended.errors.contains("Song"))
    }

    @Test func tooManyRequestsAreRefusedForAWhile() throws {
        let server = try ServerProcess(["--catalog", songs.path, "--requests-per-second", "0.5"])
        let answers = try (0..<5).map { _ in try RawConnection.ask(server.port, "GET", "/v1/catalog") }
        #expect(answers.first??.status == 200)
        let refused = try #require(answers.compactMap(\.self).first { $0.status == 429 })
        #expect(refused.faultCode == "tooManyRequests")
        #expect(refused.headers["retry-after"] == "1")
        #expect(try RawConnection.ask(server.port, "GET", "/health")?.status == 200)
        #expect(try eventually { try RawConnection.ask(server.port, "GET", "/v1/catalog")?.status == 200 })
    }

    @Test func aReplacedFileIsServedWithoutALostRequest() throws {
        let server = try ServerProcess(["--catalog", songs.path, "--requests-per-second", "0"])
        let new = SHCustomCatalog()
        try new.addReferenceSignature(SongBook.signatures[0], representing: [])
        let body = try ServedSongs.query(1)
        #expect(
            try reply(RawConnection.ask(server.port, "POST", "/v1/match", body: body)).references.count == 1)
        try new.write(to: URL(fileURLWithPath: songs.path))
        var last: Reply?
        #expect(
            try eventually {
                last = try reply(RawConnection.ask(server.port, "POST", "/v1/match", body: body))
                return last?.references.isEmpty == true
            })
        #expect(last?.generation == 2)
        try Data("no catalog".utf8).write(to: URL(fileURLWithPath: songs.path))
        #expect(eventually { server.log.contains("the old catalog stays in use") })
        let still = try reply(RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(0)))
        #expect(still.references.count == 1)
    }

    @Test func anEndingServerAnswersWhatItHasBegun() async throws {
        let server = try ServerProcess(["--catalog", songs.path])
        let port = server.port
        let body = try ServedSongs.query(3)
        let connections = try (0..<16).map { _ in try RawConnection(port: port) }
        let head = "POST /v1/match HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n"
        for connection in connections { connection.send(Array(head.utf8) + body) }
        #expect(connections[0].isReadable())
        let ended = try server.end()
        #expect(ended.status == 0 && !ended.isSignalled)
        for connection in connections {
            let bytes = try #require(connection.readToEnd())
            // A request that the server had not read yet has no answer, but no half one either.
            guard let answer = RawConnection.answer(bytes) else {
                #expect(bytes.isEmpty)
                continue
            }
            #expect(answer.headers["content-length"] == "\(answer.body.count)")
        }
    }

    @Test func aCatalogThatIsMissingOrAddressThatIsTakenIsAnError() throws {
        let missing = try EarshotProcess("serve", "--catalog", songs.folder.file("none"))
        #expect(missing.status == 1 && missing.errors.contains("none"))
        let server = try ServerProcess(["--catalog", songs.path])
        let taken = try EarshotProcess(
            "serve", "--catalog", songs.path, "--address", "127.0.0.1:\(server.port)")
        #expect(taken.status == 1 && taken.errors.contains("\(server.port)"))
        for address in ["8080", "localhost:", "localhost:70000", "::1:80"] {
            #expect(try EarshotProcess("serve", "--catalog", songs.path, "--address", address).status == 64)
        }
    }

    @Test func figuresCountWhatHappened() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        _ = try RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(0))
        _ = try RawConnection.ask(server.port, "POST", "/v1/match", body: [1])
        let text = try #require(try RawConnection.ask(server.port, "GET", "/metrics")).body
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        for line in [
            "earshot_requests_total{route=\"/v1/match\",status=\"200\"} 1",
            "earshot_requests_total{route=\"/v1/match\",status=\"400\"} 1",
            "earshot_queries_total{outcome=\"match\"} 1", "earshot_references 4.0",
            "earshot_request_seconds_bucket{le=\"+Inf\"} 2", "earshot_request_seconds_count 2",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
    }
}
