import AudioCore
import EarshotKit
import Fingerprinting
import Foundation
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// A catalog whose parts are on several servers answers as one catalog, and says when a part is missing.
@Suite struct PartsTests {
    private struct Reply: Decodable {
        struct Reference: Decodable {
            struct Item: Decodable {
                struct Properties: Decodable { let title, shazamID: String }
                let properties: Properties
            }
            let reference: String
            let matchOffset, score: Double
            let isAccepted: Bool
            let items: [Item]
            let excerpt: String?
        }
        let references: [Reference]
        let isPartial: Bool
        let catalogHours: Double
    }

    private let folder: TemporaryFolder
    private let whole: ServerProcess
    private let parts: [ServerProcess]

    /// Songs, and episodes that share an intro, divided into three parts.
    init() throws {
        let folder = try TemporaryFolder()
        let songs = SongBook.signatures.enumerated().map { (SongBook.title($0), $1) }
        let episodes = EpisodeBook.signatures.prefix(7).enumerated().map { (EpisodeBook.title($0), $1) }
        let references = (songs + episodes).map { title, signature in
            Reference(id: title, mediaItem: MediaItem(title: title), signature: signature.signature)
        }
        func server(_ name: String, _ references: [Reference]) throws -> ServerProcess {
            let path = folder.file(name + ".earcatalog")
            try CatalogFile.write(references, to: path)
            return try ServerProcess(["--catalog", path, "--requests-per-second", "0"])
        }
        self.folder = folder
        whole = try server("whole", references)
        parts = try (0..<3).map { part in
            try server(
                "part-\(part)", references.enumerated().filter { $0.offset % 3 == part }.map(\.element))
        }
    }

    private func front(_ parts: [ServerProcess]) throws -> ServerProcess {
        try ServerProcess(
            parts.flatMap { ["--catalog", $0.address] } + ["--requests-per-second", "0"])
    }

    private func ask(
        _ server: ServerProcess, _ query: SHSignature, _ parameters: String = ""
    ) throws -> Reply {
        let answer = try #require(
            try RawConnection.ask(
                server.port, "POST", "/v1/match" + parameters, body: [UInt8](query.dataRepresentation)))
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try JSONDecoder().decode(Reply.self, from: Data(answer.body))
    }

    @Test func partsAnswerAsTheWhole() throws {
        let front = try front(parts)
        var queries = try (0..<4).map { ("song \($0)", try SongBook.query($0, from: 9, seconds: 5)) }
        queries += try (0..<7).flatMap { episode in
            try [2.0..<7, 9.5..<14.5, 14..<19].map { seconds in
                (
                    "episode \(episode) at \(seconds)",
                    try SHSignature.of(EpisodeBook.excerpt(episode, seconds))
                )
            }
        }
        queries.append(("unknown", try SHSignature.of(ScoreSong(seed: 77, seconds: 6).render())))
        var found = 0
        for (name, query) in queries {
            let expected = try ask(whole, query)
            let divided = try ask(front, query)
            #expect(!divided.isPartial && abs(divided.catalogHours - expected.catalogHours) < 1e-9)
            #expect(
                Set(divided.references.map(\.reference)) == Set(expected.references.map(\.reference)),
                "\(name)")
            for reference in expected.references {
                let other = try #require(divided.references.first { $0.reference == reference.reference })
                #expect(abs(other.matchOffset - reference.matchOffset) < 1e-6, "\(name)")
                #expect(abs(other.score - reference.score) < 0.01, "\(name)")
                #expect(other.items.map(\.properties.title) == reference.items.map(\.properties.title))
                #expect(other.excerpt == nil)
            }
            found += expected.references.count
        }
        #expect(found > 40)
        let followed = try ask(front, queries[0].1, "?followSeconds=10").references
        #expect(!followed.isEmpty && followed.allSatisfy { $0.excerpt != nil })
    }

    @Test func aFrontIsAPartOfAnother() throws {
        let inner = try front(Array(parts.prefix(2)))
        let outer = try front([inner, parts[2]])
        let query = try SHSignature.of(EpisodeBook.excerpt(3, 3..<8))
        #expect(
            Set(try ask(outer, query).references.map(\.reference))
                == Set(try ask(whole, query).references.map(\.reference)))
        let song = try ask(outer, SongBook.query(1, from: 9, seconds: 5)).references
        let id = try #require(song.first?.items.first?.properties.shazamID)
        #expect(try RawConnection.ask(outer.port, "GET", "/v1/items/\(id)")?.status == 200)
        #expect(try RawConnection.ask(outer.port, "GET", "/v1/items/none")?.status == 404)
    }

    @Test func aSessionFollowsAStreamThroughParts() async throws {
        let front = try front(parts)
        let query = try SongBook.query(2, from: 9, seconds: 5)
        let catalog = SHCatalog.hosted(try #require(URL(string: front.address)))
        guard case .match(let match) = await SHSession(catalog: catalog).result(from: query) else {
            Issue.record("no match")
            return
        }
        #expect(match.mediaItems.map(\.title) == [SongBook.title(2)])
    }

    @Test func answersWithoutAPartAreMarkedUntilItReturns() throws {
        let front = try front(parts)
        let here = try SongBook.query(0, from: 9, seconds: 5)
        let gone = try SongBook.query(1, from: 9, seconds: 5)
        #expect(try !ask(front, gone).references.isEmpty)
        let port = parts[1].port
        parts[1].signal(SIGKILL)
        #expect(eventually { !parts[1].isRunning })
        let partial = try ask(front, gone)
        #expect(partial.isPartial && partial.references.isEmpty)
        let other = try ask(front, here)
        #expect(other.isPartial && other.references.map(\.reference) == [SongBook.title(0)])
        #expect(try Self.facts(front).isPartial)
        #expect(try RawConnection.ask(front.port, "GET", "/v1/items/none")?.status == 503)
        // A part after the missing one has it.
        let last = try #require(try ask(whole, SongBook.query(2, from: 9, seconds: 5)).references.first)
        let id = try #require(last.items.first?.properties.shazamID)
        #expect(try RawConnection.ask(front.port, "GET", "/v1/items/\(id)")?.status == 200)
        let back = try ServerProcess(
            ["--catalog", folder.file("part-1.earcatalog"), "--address", "127.0.0.1:\(port)"])
        #expect(try eventually { try !ask(front, gone).isPartial })
        #expect(try ask(front, gone).references.map(\.reference) == [SongBook.title(1)])
        // A part that stops without closing its connections counts as missing too.
        back.signal(SIGSTOP)
        #expect(try eventually { try ask(front, gone).isPartial })
        back.signal(SIGCONT)
        #expect(try eventually { try !ask(front, gone).isPartial })
    }

    /// A part answers what no catalog does.
    @Test func forgedNumbersOfAPartLeaveItOut() throws {
        let query = try SongBook.query(1, from: 9, seconds: 5)
        let forged = Mutex<[(path: [String], value: Double)]>([])
        let relay = try RecordingRelay(
            to: parts[1].port,
            then: .change { body in
                forged.withLock { forged in
                    forged.reduce(body) { ForgedAnswer.replacing($1.path, by: $1.value, in: $0) }
                }
            })
        let front = try ServerProcess(
            ["--catalog", folder.file("part-0.earcatalog"), "--catalog", relay.address]
                + ["--requests-per-second", "0"])
        for (path, value) in ForgedAnswer.refused {
            forged.withLock { $0 = [] }
            #expect(try eventually { try !ask(front, query).references.isEmpty })
            forged.withLock { $0 = [(path, value)] }
            let reply = try ask(front, query)
            #expect(reply.isPartial && reply.references.isEmpty, "\(path) \(value)")
        }
        let mutating = try RecordingRelay(to: parts[1].port, then: ForgedAnswer.mutating(from: 1001))
        let other = try ServerProcess(
            ["--catalog", folder.file("part-0.earcatalog"), "--catalog", mutating.address]
                + ["--requests-per-second", "0"])
        for _ in 0..<40 {
            _ = try ask(other, query)
            // One that answered nonsense is looked for again.
            _ = try eventually {
                try !Self.facts(other).isPartial
            }
        }
        #expect(front.isRunning && other.isRunning)
    }

    private struct Facts: Decodable {
        let references: Int
        let hours: Double
        let isPartial: Bool
    }

    private static func facts(_ server: ServerProcess) throws -> Facts {
        try JSONDecoder().decode(
            Facts.self, from: Data(#require(try RawConnection.ask(server.port, "GET", "/v1/catalog")).body))
    }

    private static func queries(_ server: ServerProcess) throws -> Int {
        let text = try #require(try RawConnection.ask(server.port, "GET", "/metrics")).body
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("earshot_requests_total{route=\"/v1/match\"") }
            .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// A port that no one listens at.
    private func freePort() throws -> UInt16 {
        let server = try ServerProcess(["--catalog", folder.file("part-0.earcatalog")])
        _ = try server.end()
        return server.port
    }

    @Test func serversThatAreEachOthersPartsAreNone() throws {
        let ports = try [freePort(), freePort()]
        let limits = ["--requests-per-second", "0"]
        func server(_ number: Int, asking other: UInt16) throws -> ServerProcess {
            try ServerProcess(
                ["--catalog", folder.file("part-\(number).earcatalog")]
                    + ["--catalog", "http://127.0.0.1:\(other)", "--catalog", "http://localhost:\(other)"]
                    + ["--address", "127.0.0.1:\(ports[number])"] + limits)
        }
        let query = try SongBook.query(0, from: 9, seconds: 5)
        let pair = try [server(0, asking: ports[1]), server(1, asking: ports[0])]
        for server in pair {
            #expect(eventually { server.log.contains("asks this server in turn") })
        }
        let before = try pair.map(Self.queries).reduce(0, +)
        let reply = try ask(pair[0], query)
        #expect(reply.isPartial && reply.references.map(\.reference) == [SongBook.title(0)])
        #expect(try pair.map(Self.queries).reduce(0, +) == before + 1)
        let facts = try pair.map(Self.facts)
        for (part, facts) in zip(parts, facts) {
            #expect(
                try facts.references == Self.facts(part).references && facts.hours == Self.facts(part).hours)
        }
        for server in pair { server.signal(SIGKILL) }
        #expect(eventually { pair.allSatisfy { !$0.isRunning } })
        let itself = try server(0, asking: ports[0])
        #expect(eventually { itself.log.contains("asks this server in turn") })
        #expect(try ask(itself, query).references.map(\.reference) == [SongBook.title(0)])
        #expect(try Self.facts(itself).references == Self.facts(parts[0]).references)
    }

    /// Whatever servers know of each other, a query is passed on so many times.
    @Test func aQueryPassesFewServers() throws {
        let body = [UInt8](try SongBook.query(0, from: 9, seconds: 5).dataRepresentation)
        let most = CatalogLimit.hops.count
        for (hops, status) in [("0", 200), ("\(most)", 200), ("\(most + 1)", 508), ("-1", 400), ("x", 400)] {
            let answer = try RawConnection.ask(
                parts[0].port, "POST", "/v1/match", headers: ["Earshot-Hops: \(hops)"], body: body)
            #expect(answer?.status == status, "\(hops)")
        }
        let relay = try RecordingRelay(to: parts[0].port)
        let front = try ServerProcess(["--catalog", relay.address, "--requests-per-second", "0"])
        _ = try RawConnection.ask(front.port, "POST", "/v1/match", headers: ["Earshot-Hops: 2"], body: body)
        let passed = try #require(relay.requests.first { $0.method == "POST" })
        #expect(passed.headers.contains { $0.lowercased() == "earshot-hops: 3" })
    }
}
