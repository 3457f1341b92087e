import AudioCore
import AudioIO
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
            ("GET", "/x", 404, "notFound"), ("POST", "/v1/recognise", 403, "audioRefused"),
            ("GET", "/v1/items/%ff", 404, "notFound"),
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
        let body = try ServedSongs.query(0)
        let connection = try RawConnection(port: server.port)
        let head = "HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let match =
            "POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
        let last = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.send(Array((head + match).utf8) + body + Array(last.utf8))
        let bytes = try #require(connection.readToEnd())
        let text = String(decoding: bytes, as: UTF8.self)
        let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
        #expect(statuses == ["200", "100", "200", "200"])
        #expect(text.components(separatedBy: "{\"status\":\"ok\"}").count == 2)
        let asked = try RawConnection.ask(server.port, "HEAD", "/v1/catalog")
        let get = try RawConnection.ask(server.port, "GET", "/v1/catalog")
        #expect(asked?.status == 200 && asked?.body.isEmpty == true)
        #expect(asked?.headers["content-length"] == get?.headers["content-length"])
        let wrong = try RawConnection.ask(server.port, "HEAD", "/v1/match")
        #expect(wrong?.status == 405 && wrong?.headers["allow"] == "POST")
    }

    /// As many peaks as a body can have, at random places: no audio has so many, and each costs a search.
    @Test func aForgedQueryOfVeryManyPeaksIsNotSearched() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        var generator = SeededGenerator(seed: 11)
        let peaks = stride(from: UInt32(0), to: 21_000, by: 2).map { time in
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
        #expect(answer?.status == 400 && answer?.faultCode == "signatureInvalid")
        // All in a moment of a query that is long enough.
        let moment = Signature(
            peaks: Array(peaks.prefix(2000)), frameCount: forged.frameCount, sampleRate: 16_000,
            keptRanks: 16,
            channelsCancel: false, hasHeights: true, analysisIdentity: forged.analysisIdentity)
        let other = try RawConnection.ask(server.port, "POST", "/v1/match", body: moment.encoded())
        #expect(other?.faultCode == "signatureInvalid")
    }

    /// The sounds with most peaks: noise, and clicks with silence between.
    @Test func noAudioHasTooManyPeaks() throws {
        var generator = SeededGenerator(seed: 5)
        for (name, seconds, rate, period, length) in [
            ("noise", 12.0, 16_000, 1, 1), ("short noise", 1.0, 44_100, 1, 1),
            ("a second of noise in silence", 12.0, 44_100, 12, 1), ("bursts", 12.0, 44_100, 44_100, 4410),
            ("clicks", 12.0, 44_100, 8820, 40),
        ] {
            let samples = (0..<Int(seconds * Double(rate))).map { frame -> Float in
                let place = name.hasPrefix("a second") ? frame / rate % period : frame % period
                return place < length ? Float(generator.uniform(in: -0.5...0.5)) : 0
            }
            var extractor = try SignatureExtractor(sampleRate: rate, channelCount: 1, detail: .query)
            try extractor.append(AudioBuffer(samples: samples, sampleRate: rate))
            let signature = try extractor.finish()
            #expect(!signature.peaks.isEmpty && !signature.isDense, "\(name): \(signature.peaks.count)")
        }
    }

    /// A client that asks for ever and reads nothing takes no memory, wherever it asks, and is closed.
    @Test(arguments: ["/health", "/metrics", "/v1/catalog", "/"])
    func aClientThatReadsNothingIsClosed(_ path: String) throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--patience", "1", "--requests-per-second", "0"])
        _ = try RawConnection.ask(server.port, "GET", path)
        let before = server.residentKilobytes
        let requests = Array(
            String(repeating: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 500).utf8)
        let connections = try (0..<4).map { _ in try RawConnection(port: server.port) }
        for connection in connections {
            var rounds = 0
            while rounds < 4000, connection.send(requests) { rounds += 1 }
            #expect(rounds < 4000)
        }
        #expect(server.residentKilobytes < before + 20_000, "\(before)")
        #expect(try RawConnection.ask(server.port, "GET", "/health")?.status == 200)
    }

    /// One that reads each answer before it asks again is not closed, however many it asks for.
    @Test func fewRequestsMayComeAtOnce() throws {
        let server = try ServerProcess(["--catalog", songs.path, "--requests-per-second", "0"])
        let connection = try RawConnection(port: server.port)
        let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
        connection.send(
            Array(
                (String(repeating: request + "\r\n", count: 15) + request + "Connection: close\r\n\r\n").utf8)
        )
        let text = try String(decoding: #require(connection.readToEnd()), as: UTF8.self)
        #expect(text.components(separatedBy: "HTTP/1.1 200").count == 17)
    }

    /// Bodies that stop just before their end have a common limit, and queries one of their own.
    @Test func unfinishedBodiesHaveALimit() throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--accept-audio", "--requests-per-second", "0", "--patience", "300"])
        let size = CatalogLimit.audioBytes.count
        let most = CatalogLimit.uploadBytesOfAddress.count / size
        let head = Array(
            "POST /v1/recognise HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(size)\r\n\r\n".utf8)
        let body = [UInt8](repeating: 7, count: size - 1)
        var connections = try (0..<(most + 4)).map { _ in
            let connection = try RawConnection(port: server.port)
            connection.send(head)
            connection.send(body)
            return connection
        }
        #expect(eventually { connections.count { $0.isReadable(milliseconds: 0) } >= 4 })
        for connection in connections where connection.isReadable(milliseconds: 0) {
            // The answer may be lost if the rest of the body comes late.
            if let answer = connection.readToEnd().flatMap(RawConnection.answer) {
                #expect(answer.faultCode == "tooManyRequests" && answer.headers["retry-after"] == "1")
            }
        }
        #expect(server.residentKilobytes < 150_000)
        let query = try RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(0))
        #expect(try reply(query).references.count == 1)
        connections = []
        let wav = try Self.audio("wav", "wav-pcm16")
        #expect(
            try eventually {
                try RawConnection.ask(server.port, "POST", "/v1/recognise", body: wav)?.status == 200
            })
    }

    /// A request that may not be made is refused before its body is read.
    @Test func limitsCountAtTheHead() throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--accept-audio", "--requests-per-second", "0.01"])
        #expect(try RawConnection.ask(server.port, "GET", "/v1/catalog")?.status == 200)
        let connection = try RawConnection(port: server.port)
        connection.send(
            Array(
                "POST /v1/recognise HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n".utf8))
        #expect(connection.readToEnd().flatMap(RawConnection.answer)?.faultCode == "tooManyRequests")
        // Those who watch the server are counted apart, and count too.
        let probes = try (0..<40).map { _ in try RawConnection.ask(server.port, "GET", "/health")?.status }
        #expect(probes.first == 200 && probes.contains(429))
    }

    /// A web page can make a name of its own lead here.
    @Test func onlyNamesOfTheServerAreAnswered() throws {
        func status(_ server: ServerProcess, _ hosts: [String], version: String = "1.1") throws -> Int? {
            let connection = try RawConnection(port: server.port)
            let lines = hosts.map { "Host: \($0)\r\n" }.joined()
            connection.send(
                Array("GET /v1/catalog HTTP/\(version)\r\n\(lines)Connection: close\r\n\r\n".utf8))
            return connection.readToEnd().flatMap(RawConnection.answer)?.status
        }
        let open = ["--catalog", songs.path, "--requests-per-second", "0"]
        let server = try ServerProcess(open)
        for host in [
            "localhost", "LOCALHOST:8080", "music.localhost", "127.0.0.1:1", "[::1]:80", "192.0.2.1",
        ] {
            #expect(try status(server, [host]) == 200, "\(host)")
        }
        for host in ["evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", ""] {
            #expect(try status(server, [host]) == 421, "\(host)")
        }
        #expect(try status(server, ["localhost", "localhost"]) == 400)
        #expect(try status(server, ["localhost", "evil.example"]) == 400)
        #expect(try status(server, []) == 400)
        #expect(try status(server, [], version: "1.0") == 200)
        let named = try ServerProcess(open + ["--host", "catalog.example"])
        #expect(try status(named, ["Catalog.Example:443"]) == 200)
        #expect(try status(named, ["evil.example"]) == 421)
        #expect(try status(ServerProcess(open + ["--trust-proxy"]), ["catalog.example"]) == 200)
    }

    @Test func aBodyWithoutALengthIsCutOffAtTheLimit() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        let connection = try RawConnection(port: server.port)
        connection.send(
            Array("POST /v1/match HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
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
        let manyHeaders = try RawConnection.ask(
            server.port, "GET", "/health",
            headers: (0..<200).map { "X-\($0): " + String(repeating: "a", count: 300) })
        #expect(manyHeaders?.status != 200)
        #expect(try RawConnection.ask(server.port, "GET", "/health")?.status == 200)
    }

    @Test func slowClientsAreClosedAndHoldUpNoOne() throws {
        let server = try ServerProcess(["--catalog", songs.path, "--patience", "1"])
        let head = "POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
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

    /// Neither the wait before a request nor the request is too long.
    @Test func aRequestThatBeginsLateHasItsTime() throws {
        let server = try ServerProcess(["--catalog", songs.path, "--patience", "5"])
        let body = try ServedSongs.query(2)
        let connection = try RawConnection(port: server.port)
        Thread.sleep(forTimeInterval: 3)
        connection.send(
            Array(
                "POST /v1/match HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
                    .utf8))
        Thread.sleep(forTimeInterval: 3)
        connection.send(body)
        #expect(connection.readToEnd().flatMap(RawConnection.answer)?.status == 200)
    }

    @Test func anAddressHasSoManyConnections() throws {
        func kept(_ port: UInt16) throws -> RawConnection {
            let connection = try RawConnection(port: port)
            connection.send(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            #expect(connection.isReadable())
            return connection
        }
        let server = try ServerProcess(["--catalog", songs.path, "--connections-per-address", "2"])
        var connections = try [kept(server.port), kept(server.port)]
        #expect(try RawConnection.exchange(server.port, "GET", "/health") == [])
        connections.removeLast()
        #expect(try eventually { try RawConnection.ask(server.port, "GET", "/health")?.status == 200 })
        let behindProxy = try ServerProcess(["--catalog", songs.path, "--trust-proxy"])
        connections = try (0..<4).map { _ in try kept(behindProxy.port) }
        #expect(try RawConnection.ask(behindProxy.port, "GET", "/health")?.status == 200)
    }

    private static func limit(ofOpenFiles most: Int) -> [String] {
        ["/bin/sh", "-c", "ulimit -n \(most); exec \"$0\" \"$@\""]
    }

    /// libdispatch ends a process that has no descriptor left by a signal.
    @Test(
        "With more connections than descriptors, descriptors stay free and a client is answered",
        arguments: [32, 40, 56, 60, 64, 72, 128])
    func connectionsLeaveDescriptors(limit: Int) throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--requests-per-second", "0", "--patience", "600"],
            through: Self.limit(ofOpenFiles: limit))
        let descriptors = "/proc/\(server.processIdentifier)/fd"
        var waiting: [RawConnection] = []
        while waiting.count < 200 {
            let connection = try RawConnection(port: server.port)
            connection.send(Array("GET /health HT".utf8))
            waiting.append(connection)
            guard waiting.count % 20 == 0 else { continue }
            let answer = try RawConnection.ask(
                server.port, "POST", "/v1/match", body: ServedSongs.query(waiting.count / 20 % 4))
            #expect(answer?.status == 200)
            #expect(try FileManager.default.contentsOfDirectory(atPath: descriptors).count <= limit - 4)
        }
        #expect(server.isRunning)
    }

    @Test("A connection that is kept open gives way when all are taken, after its answer")
    func keptConnectionsGiveWay() throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--requests-per-second", "0"], through: Self.limit(ofOpenFiles: 32))
        let kept = try (0..<30).map { _ in
            let connection = try RawConnection(port: server.port)
            connection.send(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            #expect(connection.isReadable())
            return connection
        }
        let first = try #require(kept.first?.readToEnd().flatMap(RawConnection.answer))
        #expect(first.status == 200 && !first.body.isEmpty)
    }

    @Test("With too few descriptors for what is served, the server does not start and says how many it needs")
    func tooFewDescriptorsAreAnError() throws {
        #expect {
            try ServerProcess(
                ["--catalog", songs.path, "--accept-audio"], through: Self.limit(ofOpenFiles: 32))
        } throws: { error in
            (error as? ServerProcess.StartError)?.errors.contains(
                /the limit of open files is 32, and this server needs \d+\./) == true
        }
    }

    /// One client has all addresses of a network of IPv6.
    @Test func limitsAreThoseOfANetwork() throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--trust-proxy", "--requests-per-second", "0.01"])
        for (address, status) in [
            ("2001:db8::1", 200), ("2001:db8::2", 429), ("2001:db8:0:1::1", 200), ("192.0.2.1", 200),
            ("::ffff:192.0.2.1", 429), ("192.0.2.2", 200),
        ] {
            let answer = try RawConnection.ask(
                server.port, "GET", "/v1/catalog", headers: ["X-Forwarded-For: 10.0.0.1, \(address)"])
            #expect(answer?.status == status, "\(address)")
        }
    }

    private static func audio(_ name: String, _ encoding: String, seconds: Double = 6) throws -> [UInt8] {
        let sound = SongBook.songs[1].render(from: 7, seconds: seconds)
        return try AudioFile.encode(sound, as: #require(AudioEncoding(encoding), "\(name)"))
    }

    @Test func audioIsRecognisedWhereItIsAccepted() throws {
        let server = try ServerProcess(
            ["--catalog", songs.path, "--accept-audio", "--requests-per-second", "0"])
        func ask(_ body: [UInt8]) throws -> RawConnection.Answer? {
            try RawConnection.ask(server.port, "POST", "/v1/recognise?followSeconds=5", body: body)
        }
        let expected = try reply(
            RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(1))
        ).references.map(\.reference)
        #expect(expected.count == 1)
        for encoding in ["wav-pcm16", "flac-16", "ogg-vorbis-q0.6"] {
            let found = try reply(ask(Self.audio(encoding, encoding))).references
            #expect(found.map(\.reference) == expected, "\(encoding)")
            #expect(abs((found.first?.matchOffset ?? 0) - 7) < 0.05, "\(encoding)")
        }
        let wav = try Self.audio("wav", "wav-pcm16")
        let silence = AudioBuffer(samples: [Float](repeating: 0, count: 16_000 * 600), sampleRate: 16_000)
        let flac = try #require(AudioEncoding("flac-16"))
        // Starts of files that another program would have to decode.
        let foreign = Array("\0\0\0\u{20}ftypM4A ".utf8) + [UInt8](repeating: 0, count: 4000)
        for (name, body, status, code) in [
            ("nothing", [], 400, "audioInvalid"), ("text", Array("audio".utf8), 400, "audioInvalid"),
            ("half a header", Array(wav[..<20]), 400, "audioInvalid"),
            ("another program's", foreign, 400, "audioInvalid"),
            ("ten minutes", try AudioFile.encode(silence, as: flac), 422, "durationInvalid"),
            ("13 s", try Self.audio("long", "wav-pcm16", seconds: 13), 422, "durationInvalid"),
            (
                "silence",
                try AudioFile.encode(
                    AudioBuffer(samples: [Float](repeating: 0, count: 80_000), sampleRate: 16_000), as: flac),
                400, "signatureInvalid"
            ),
            ("5 MB", [UInt8](repeating: 1, count: 5 << 20), 413, "bodyTooLarge"),
        ] {
            let answer = try ask(body)
            #expect(answer?.status == status, "\(name)")
            #expect(answer?.faultCode == code, "\(name)")
        }
        let plain = try ServerProcess(["--catalog", songs.path])
        #expect(
            try RawConnection.ask(plain.port, "POST", "/v1/recognise", body: Array(wav.prefix(60_000)))?
                .faultCode == "audioRefused")
    }

    @Test func thePageRunsNoScriptButItsOwn() throws {
        let server = try ServerProcess(["--catalog", songs.path])
        let page = try #require(try RawConnection.ask(server.port, "GET", "/"))
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
        let html = String(decoding: page.body, as: UTF8.self)
        #expect(html.contains("<script src=\"/page.js\">") && !html.contains("<script>"))
        let script = try #require(try RawConnection.ask(server.port, "GET", "/page.js"))
        #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(!String(decoding: script.body, as: UTF8.self).contains("innerHTML"))
    }

    /// Two catalogs of a song each.
    private func twoFiles() throws -> [String] {
        try (0..<2).map { song in
            let catalog = SHCustomCatalog()
            try catalog.addReferenceSignature(
                SongBook.signatures[song],
                representing: [SHMediaItem(properties: [.shazamID: "\(song)", .title: SongBook.title(song)])])
            let path = songs.folder.file("\(song).earcatalog")
            try catalog.write(to: URL(fileURLWithPath: path))
            return path
        }
    }

    /// Files of this size were read and verified when they were opened.
    @Test func aFileThatIsDamagedWhileItIsServedStaysAsItWas() throws {
        let paths = try twoFiles()
        let server = try ServerProcess(
            paths.flatMap { ["--catalog", $0] } + ["--requests-per-second", "0"])
        struct Answer: Decodable {
            let isPartial: Bool
            let generation: Int
        }
        func answer(_ song: Int) throws -> (isPartial: Bool, references: Int, generation: Int) {
            let answer = try RawConnection.ask(
                server.port, "POST", "/v1/match", body: ServedSongs.query(song))
            let decoded = try JSONDecoder().decode(Answer.self, from: Data(#require(answer).body))
            return try (decoded.isPartial, reply(answer).references.count, decoded.generation)
        }
        #expect(try answer(0) == (false, 1, 1) && answer(1) == (false, 1, 1))
        let whole = try Data(contentsOf: URL(fileURLWithPath: paths[1]))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[1]))
        try file.seek(toOffset: UInt64(whole.count / 4))
        try file.write(contentsOf: [UInt8](repeating: 0x5A, count: whole.count - whole.count / 4))
        try file.close()
        #expect(eventually { server.log.contains("the old catalog stays in use: \(paths[1])") })
        for song in 0..<2 {
            let answer = try answer(song)
            #expect(!answer.isPartial && answer.references == 1)
        }
        let before = try answer(1).generation
        try whole.write(to: URL(fileURLWithPath: paths[1]), options: .atomic)
        #expect(try eventually { try answer(1).generation > before })
        #expect(try answer(1).references == 1 && server.isRunning)
    }

    @Test func aFileThatCannotBeOpenedHoldsUpNoOther() throws {
        let paths = try twoFiles()
        let server = try ServerProcess(
            paths.flatMap { ["--catalog", $0] } + ["--requests-per-second", "0"])
        let new = SHCustomCatalog()
        try new.addReferenceSignature(SongBook.signatures[2], representing: [])
        // At once for the server, which sees both when it goes on.
        server.signal(SIGSTOP)
        try Data("no catalog".utf8).write(to: URL(fileURLWithPath: paths[0]), options: .atomic)
        try new.write(to: URL(fileURLWithPath: paths[1]))
        server.signal(SIGCONT)
        for (song, count) in [(2, 1), (1, 0), (0, 1)] {
            #expect(
                try eventually {
                    try reply(
                        RawConnection.ask(server.port, "POST", "/v1/match", body: ServedSongs.query(song))
                    ).references.count == count
                }, "song \(song)")
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
        let head = "POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
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
            "earshot_query_seconds_bucket{le=\"+Inf\"} 1", "earshot_query_seconds_count 1",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
    }
}
