import AudioIO
import CatalogServer
import EarshotKit
import Fingerprinting
import Foundation
import GRDB
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// References that clients add, replace and remove: searched soon, and kept whatever happens to the server.
@Suite struct StoreTests {
    private static let reader = "aaaaaaaaaaaaaaaa"
    private static let editor = "bbbbbbbbbbbbbbbb"

    private let folder: TemporaryFolder
    private let tokens: String

    init() throws {
        folder = try TemporaryFolder()
        tokens = folder.file("tokens")
        try "phones match \(Self.reader)\neditor match,write \(Self.editor)\n"
            .write(toFile: tokens, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
    }

    private func server(_ more: [String] = [], fileBlocks: Int? = nil) throws -> ServerProcess {
        try ServerProcess(
            ["--store", folder.file("store"), "--tokens", tokens, "--requests-per-second", "0"] + more,
            fileBlocks: fileBlocks)
    }

    private static func ask(
        _ port: UInt16, _ method: String, _ path: String, token: String? = editor, body: [UInt8] = []
    ) throws -> RawConnection.Answer? {
        try RawConnection.ask(
            port, method, path, headers: token.map { ["Authorization: Bearer \($0)"] } ?? [], body: body)
    }

    /// The upload of a few seconds of a song; its Shazam ID is the reference's identifier.
    private static func upload(_ song: Int, id: String, title: String) throws -> [UInt8] {
        let signature = SongBook.signatures[song].signature.slice(fromSeconds: 6, durationSeconds: 8)
        let item = SHMediaItem(properties: [.title: title, .shazamID: id])
        return [UInt8](
            try JSONEncoder().encode(
                ReferenceUpload(
                    Reference(id: id, mediaItem: try MediaItem(items: [item]), signature: signature)))
        )
    }

    private static func put(
        _ port: UInt16, _ song: Int, id: String, title: String, token: String? = editor
    ) throws -> RawConnection.Answer? {
        try ask(
            port, "PUT", "/v1/references/\(id)", token: token, body: upload(song, id: id, title: title))
    }

    /// The title of the item with a Shazam ID; nil if there is none.
    private static func title(_ port: UInt16, _ shazamID: String) throws -> String? {
        struct Item: Decodable {
            struct Properties: Decodable { let title: String }
            let properties: Properties
        }
        guard let answer = try ask(port, "GET", "/v1/items/\(shazamID)"), answer.status == 200 else {
            return nil
        }
        return try JSONDecoder().decode(Item.self, from: Data(answer.body)).properties.title
    }

    private static func found(_ port: UInt16, _ song: Int) throws -> Set<String> {
        let answer = try #require(try ask(port, "POST", "/v1/match", body: ServedSongs.query(song)))
        #expect(answer.status == 200)
        return Set(try JSONDecoder().decode(Reply.self, from: Data(answer.body)).references.map(\.reference))
    }

    private struct Reply: Decodable {
        struct Reference: Decodable { let reference: String }
        let references: [Reference]
    }

    private struct Change: Decodable {
        let reference: String
        let wasThere: Bool
    }

    private static func change(_ answer: RawConnection.Answer?) throws -> Change {
        let answer = try #require(answer)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try JSONDecoder().decode(Change.self, from: Data(answer.body))
    }

    @Test func changesAreSearchedSoonAndSurviveARestart() throws {
        var port: UInt16 = 0
        do {
            let server = try server()
            port = server.port
            #expect(try Self.found(port, 0).isEmpty)
            #expect(try !Self.change(Self.put(port, 0, id: "one", title: "A")).wasThere)
            #expect(try eventually { try Self.found(port, 0) == ["one"] })
            #expect(try Self.title(port, "one") == "A")
            #expect(try Self.change(Self.put(port, 0, id: "one", title: "B")).wasThere)
            #expect(try eventually { try Self.title(port, "one") == "B" })
            #expect(try Self.found(port, 0) == ["one"])
            #expect(try !Self.change(Self.put(port, 1, id: "two", title: "C")).wasThere)
            let exists = try Self.ask(
                port, "PUT", "/v1/references/two?replacing=false", body: Self.upload(2, id: "two", title: "D")
            )
            #expect(exists?.status == 409 && exists?.faultCode == "referenceExists")
            #expect(try Self.change(Self.ask(port, "DELETE", "/v1/references/one")).wasThere)
            #expect(try eventually { try Self.found(port, 0).isEmpty })
            #expect(try Self.ask(port, "DELETE", "/v1/references/one")?.status == 404)
            #expect(try server.end().status == 0)
        }
        let again = try server()
        #expect(try Self.found(again.port, 0).isEmpty)
        #expect(try Self.found(again.port, 1) == ["two"])
        #expect(try Self.title(again.port, "two") == "C")
    }

    @Test func onlyTokensWithTheRightChangeTheStore() throws {
        let songs = try ServedSongs()
        let server = try server(["--catalog", songs.path])
        #expect(try Self.put(server.port, 0, id: "one", title: "A", token: nil)?.faultCode == "tokenMissing")
        #expect(
            try Self.put(server.port, 0, id: "one", title: "A", token: Self.reader)?.faultCode
                == "rightMissing")
        #expect(try Self.ask(server.port, "DELETE", "/v1/references/one", token: Self.reader)?.status == 403)
        let large = [UInt8](repeating: 65, count: 100_000)
        // Whoever may not send a body is refused before it is read.
        for (token, code) in [(nil, "tokenMissing"), (Self.reader, "rightMissing")] {
            let answer = try Self.ask(server.port, "PUT", "/v1/references/one", token: token, body: large)
            #expect(answer?.faultCode == code)
        }
        #expect(
            try Self.ask(server.port, "PUT", "/v1/references/one", body: large)?.faultCode == "badRequest")
        // A file's references are not the store's to change.
        let file = try #require(try Self.found(server.port, 0).first)
        #expect(try Self.put(server.port, 0, id: file, title: "A")?.faultCode == "readOnly")
        #expect(try Self.ask(server.port, "DELETE", "/v1/references/\(file)")?.faultCode == "readOnly")
        #expect(try Self.put(server.port, 0, id: "one", title: "A")?.status == 200)
        #expect(try eventually { try Self.found(server.port, 0) == [file, "one"] })
        let second = try EarshotProcess(
            "serve", "--store", folder.file("store"), "--tokens", tokens, "--address", "127.0.0.1:0")
        #expect(second.status == 1 && second.errors.contains("another server"))
        let without = try ServerProcess(["--catalog", songs.path, "--tokens", tokens])
        #expect(try Self.put(without.port, 0, id: "one", title: "A")?.faultCode == "readOnly")
    }

    @Test func uploadsThatCannotBeKeptAreRefused() throws {
        let server = try server()
        let query = try SongBook.query(0, from: 5, seconds: 5).signature
        func upload(_ signature: Data, items: String = "[]") -> [UInt8] {
            Array(#"{"signature":"\#(signature.base64EncodedString())","items":\#(items)}"#.utf8)
        }
        let bytes = Data(query.encoded())
        let silent = Signature(
            peaks: [], frameCount: 16_000, sampleRate: 16_000, keptRanks: 16, channelsCancel: false,
            analysisIdentity: query.analysisIdentity)
        let other = Signature(
            peaks: query.peaks, frameCount: query.frameCount, sampleRate: query.sampleRate, keptRanks: 16,
            channelsCancel: false, analysisIdentity: 1)
        let nested = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        for (name, body, status) in [
            ("nothing", [], 400), ("text", Array("{".utf8), 400), ("no signature", Array("{}".utf8), 400),
            ("half", upload(bytes.prefix(bytes.count / 2)), 400),
            ("silent", upload(Data(silent.encoded())), 400),
            ("other analysis", upload(Data(other.encoded())), 409),
            ("bad item", upload(bytes, items: #"[{"properties":{"a":{"$range":["2","1"]}}}]"#), 400),
            (
                "many items",
                upload(
                    bytes,
                    items: "[" + repeatElement(#"{"properties":{}}"#, count: 10_001).joined(separator: ",")
                        + "]"),
                400
            ),
            ("deep item", upload(bytes, items: #"[{"properties":{"a":\#(nested)}}]"#), 400),
        ] {
            #expect(
                try Self.ask(server.port, "PUT", "/v1/references/one", body: body)?.status == status,
                "\(name)")
        }
        let long = String(repeating: "i", count: 1001)
        #expect(try Self.put(server.port, 0, id: long, title: "A")?.faultCode == "badRequest")
        #expect(try Self.found(server.port, 0).isEmpty)
        #expect(try Self.put(server.port, 0, id: "a%2Fb%20%C3%A9", title: "A")?.status == 200)
        #expect(try eventually { try Self.found(server.port, 0) == ["a/b é"] })
    }

    @Test func manyChangesAreMergedInFewFiles() throws {
        let count = 40
        var server: ServerProcess? = try server()
        var port = try #require(server?.port)
        for number in 0..<count {
            #expect(try Self.put(port, number % 4, id: "r\(number)", title: "T\(number)")?.status == 200)
            // So that each is added by itself.
            #expect(try eventually { try Self.title(port, "r\(number)") != nil })
        }
        #expect(try Self.ask(port, "DELETE", "/v1/references/r3")?.status == 200)
        #expect(try Self.put(port, 3, id: "r7", title: "new")?.status == 200)
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.file("store"))
                .filter { $0.hasPrefix("segment-") }
        }
        #expect(try eventually { try (1..<8).contains(files().count) })
        for _ in 0..<2 {
            for song in 0..<4 {
                let expected = Set((0..<count).filter { $0 % 4 == song && $0 != 3 }.map { "r\($0)" })
                #expect(try eventually { try Self.found(port, song) == expected })
            }
            #expect(try Self.title(port, "r7") == "new" && Self.title(port, "r3") == nil)
            #expect(try server?.end().status == 0)
            server = try self.server()
            port = try #require(server?.port)
        }
    }

    @Test func aFileWithAReferenceOfTheStoreDoesNotHideIt() throws {
        let path = folder.file("file.earcatalog")
        try CatalogFile.write([Reference(id: "one", signature: SongBook.signatures[3].signature)], to: path)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        try CatalogFile.write([Reference(id: "other", signature: SongBook.signatures[2].signature)], to: path)
        let server = try server(["--catalog", path])
        let port = server.port
        #expect(try Self.put(port, 0, id: "one", title: "A")?.status == 200)
        #expect(try eventually { try Self.found(port, 0) == ["one"] })
        try file.write(to: URL(fileURLWithPath: path), options: .atomic)
        #expect(try eventually { try Self.found(port, 2).isEmpty })
        #expect(try Self.found(port, 0) == ["one"] && Self.found(port, 3).isEmpty)
        // Removed from the store, it would be in neither.
        #expect(try Self.ask(port, "DELETE", "/v1/references/one")?.faultCode == "readOnly")
        #expect(try Self.found(port, 0) == ["one"])
    }

    @Test func otherFilesInTheFolderStay() throws {
        let store = folder.file("store")
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        let others = ["segment-1.wav", "segment-notes.earcatalog", ".segment-list"]
        let abandoned = ["segment-7.earcatalog", ".segment-7.earcatalog.12.1.part"]
        for name in others + abandoned {
            try Data("x".utf8).write(to: URL(fileURLWithPath: store + "/" + name))
        }
        let server = try server()
        #expect(try server.end().status == 0)
        for name in others { #expect(FileManager.default.fileExists(atPath: store + "/" + name), "\(name)") }
        for name in abandoned {
            #expect(!FileManager.default.fileExists(atPath: store + "/" + name), "\(name)")
        }
    }

    @Test func aFullDiskIsSaidAndChangesNothing() throws {
        var kept: [String] = []
        do {
            // 200 kB: some references, and then none.
            let server = try server(fileBlocks: 400)
            let port = server.port
            var refused = 0
            for number in 0..<120 where refused < 20 {
                let answer = try #require(try Self.put(port, number % 4, id: "r\(number)", title: "T"))
                if answer.status == 200 {
                    kept.append("r\(number)")
                } else {
                    #expect(answer.status == 507 && answer.faultCode == "storageFull")
                    refused += 1
                }
            }
            #expect(!kept.isEmpty && refused == 20)
            // What was refused is not searched, and what was taken is.
            #expect(
                try eventually {
                    try (0..<4).reduce(into: Set()) { $0.formUnion(try Self.found(port, $1)) } == Set(kept)
                })
            // A merge that fails waits for the next change.
            let failures = server.log.components(separatedBy: "are not merged").count - 1
            #expect(failures <= kept.count + refused)
            #expect(server.log.contains("SQLite error"))
            #expect(try server.end().status == 0)
        }
        let again = try server()
        #expect(try (0..<4).reduce(into: Set()) { $0.formUnion(try Self.found(again.port, $1)) } == Set(kept))
        #expect(try Self.put(again.port, 0, id: "new", title: "T")?.status == 200)
    }

    @Test func aStoreThatIsEmptiedTakesReferencesAgain() throws {
        let server = try server()
        for _ in 0..<2 {
            let ids = (0..<9).map { "r\($0)" }
            for id in ids {
                #expect(try Self.put(server.port, 0, id: id, title: "T")?.status == 200)
                #expect(try eventually { try Self.found(server.port, 0).contains(id) })
                #expect(try Self.ask(server.port, "DELETE", "/v1/references/\(id)")?.status == 200)
            }
            #expect(try eventually { try Self.found(server.port, 0).isEmpty })
        }
        #expect(!server.log.contains("not merged"), "\(server.log)")
    }

    /// Small files are merged again and again, but each reference a few times only.
    @Test func theWorkOfMergesGrowsAsTheReferences() {
        for count in [100, 1000, 20_000] {
            var sizes: [Int] = []
            var (written, most) = (0, 0)
            for _ in 0..<count {
                sizes.append(8)
                while case let due = MergePlan.due(sizes: sizes), !due.isEmpty {
                    let merged = due.reduce(0) { $0 + sizes[$1] }
                    written += merged
                    sizes = sizes.indices.filter { !due.contains($0) }.map { sizes[$0] } + [merged]
                }
                most = max(most, sizes.count)
            }
            let levels = 1 + log2(Double(count)) / 2
            #expect(sizes.reduce(0, +) == 8 * count)
            #expect(Double(written) <= levels * Double(8 * count))
            #expect(Double(most) <= 3 * levels + 1)
        }
    }

    /// How often the server is killed; the environment may ask for more.
    private static let kills =
        ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap { Int($0) } ?? 10

    @Test func killedAtAnyMomentItHasEveryAnsweredChange() throws {
        /// The title of each reference after the last answered change; nil if it was removed.
        var answered: [String: String?] = [:]
        /// References with a change that was sent and not answered: it may be there, or not.
        var unsure: [String: [String?]] = [:]
        var number = 0
        for kill in 0..<Self.kills {
            let server = try server()
            let port = server.port
            for (id, title) in answered {
                let kept = try Self.title(port, id)
                if let possible = unsure[id] {
                    #expect(possible.contains(kept), "kill \(kill): \(id)")
                    answered[id] = .some(kept)
                } else {
                    #expect(kept == title, "kill \(kill): \(id)")
                }
            }
            for (id, possible) in unsure where answered[id] == nil {
                let kept = try Self.title(port, id)
                #expect(possible.contains(kept), "kill \(kill): \(id)")
                answered[id] = .some(kept)
            }
            unsure = [:]
            // The moment of the kill differs: a number of answered changes, then some time.
            let changes = 3 + 7 * kill % 23
            let process = server.processIdentifier
            let killer = Thread {
                Thread.sleep(forTimeInterval: 0.02 * Double(kill % 7))
                Glibc.kill(process, SIGKILL)
            }
            for change in 0..<200 {
                if change == changes { killer.start() }
                number += 1
                let id = "r\(number % 5 == 0 ? number / 2 : number)"
                let title: String? = number % 7 == 0 ? nil : "T\(number)"
                let before = answered[id] ?? nil
                var answer: RawConnection.Answer?
                do {
                    answer =
                        try title.map { try Self.put(port, number % 4, id: id, title: $0) }
                        ?? Self.ask(port, "DELETE", "/v1/references/\(id)")
                } catch let failure as RawConnection.Failure where failure.code == ECONNREFUSED {
                    // The server was killed between two changes.
                }
                if let answer, [200, 404].contains(answer.status) {
                    answered[id] = .some(title)
                } else {
                    unsure[id] = [before, title]
                    break
                }
            }
            #expect(eventually { !server.isRunning })
        }
        let server = try server()
        let there = answered.filter { $0.value != nil && unsure[$0.key] == nil }
        #expect(there.count >= Self.kills)
        for (id, title) in there { #expect(try Self.title(server.port, id) == title) }
        // None is half there: what has items is searched.
        let searched = try (0..<4).reduce(into: Set<String>()) {
            $0.formUnion(try Self.found(server.port, $1))
        }
        #expect(searched.isSuperset(of: there.keys))
    }

    @Test func theCommandAddsToAServer() throws {
        let server = try server()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let song = folder.file("Song.wav")
        try AudioFile.write(SongBook.songs[0].render(), to: song, as: wav)
        func update(_ options: String...) throws -> EarshotProcess {
            try EarshotProcess(
                shell: "\"$EARSHOT\" custom-catalog update --catalog \(server.address) -s '\(song)' "
                    + options.joined(separator: " "),
                environment: ["EARSHOT_CATALOG_TOKEN": Self.editor])
        }
        let added = try update()
        #expect(added.status == 0 && added.errors.contains("1 reference added"), "\(added.errors)")
        #expect(try eventually { try Self.found(server.port, 0) == ["Song"] })
        let again = try update()
        #expect(again.status == 1 && again.errors.contains("reference of this identifier"))
        #expect(try update("--replace").status == 0)
        let refused = try EarshotProcess(
            "custom-catalog", "update", "--catalog", server.address, "-s", song,
            environment: ["EARSHOT_CATALOG_TOKEN": Self.reader])
        #expect(refused.status == 1 && refused.errors.contains("right"))
    }

    // MARK: - Stores of earlier versions, and damage

    /// A store as release 0.1.0 wrote it: a segment of version 4, and a reference of version 3 in the manifest.
    private func makeEarlierStore() throws -> String {
        let golden = PackageFolder.path + "/Tests/Golden/"
        let store = try folder.makeFolder("store")
        try FileManager.default.copyItem(
            atPath: golden + "catalog-4.earcatalog", toPath: store + "/segment-1.earcatalog")
        let queue = try DatabaseQueue(path: store + "/manifest.sqlite")
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1');
                    CREATE TABLE file (number INTEGER PRIMARY KEY AUTOINCREMENT, isWritten BOOLEAN NOT NULL);
                    CREATE TABLE removal (file INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (file, place));
                    CREATE TABLE reference (version INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                        item BLOB NOT NULL, signature BLOB NOT NULL);
                    INSERT INTO file VALUES (1, 1);
                    INSERT INTO removal VALUES (1, 0);
                    """)
            try database.execute(
                sql: "INSERT INTO reference (id, item, signature) VALUES ('latest', ?, ?)",
                arguments: [
                    Data(try MediaItem(title: "Latest").encoded()),
                    Data(contentsOf: URL(fileURLWithPath: golden + "standard-3.earsignature")),
                ])
        }
        try queue.close()
        return store
    }

    private func check(_ store: String) throws -> EarshotProcess {
        try EarshotProcess("store", "check", store)
    }

    @Test("A store of release 0.1.0 is served, and upgraded before it is")
    func earlierStoresAreUpgraded() throws {
        let store = try makeEarlierStore()
        let before = try check(store)
        #expect(before.status == 0 && before.output.contains("segment-1.earcatalog: version 4, 2 references"))
        #expect(before.output.contains("reference \"latest\": version 3, 1 reference"))
        do {
            let server = try server()
            let health = try Self.ask(server.port, "GET", "/health")
            #expect(
                health.map { String(decoding: $0.body, as: UTF8.self) } == #"{"status":"ok"}"#)
            #expect(try Self.change(Self.ask(server.port, "DELETE", "/v1/references/song%201")).wasThere)
        }
        let after = try check(store)
        #expect(after.status == 0 && after.output.contains("version 7, 1 reference\n"))
        #expect(after.output.contains("reference \"latest\": version 4, 1 reference"))
        #expect(!FileManager.default.fileExists(atPath: store + "/segment-1.earcatalog"))
        // A program of release 0.1.0 knows migration 1 only, and refuses what it does not know.
        let known = try DatabaseQueue(path: store + "/manifest.sqlite").read { database in
            try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
        }
        #expect(known == ["1", "2"])
    }

    @Test("A store of the future is refused by all commands, with the reason")
    func laterStoresAreRefused() throws {
        let store = try makeEarlierStore()
        try DatabaseQueue(path: store + "/manifest.sqlite").write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('3')")
        }
        for words in [["check", store], ["repair", store], ["export", store, "-o", folder.file("out")]] {
            let run = try EarshotProcess(arguments: ["store"] + words)
            #expect(run.status == 1 && run.errors.contains("written by Earshot 0.4 or later; this is 0.3.0"))
        }
        #expect(throws: (any Error).self) { try server() }
    }

    @Test("A damaged segment stops the server, is set aside when told, and nothing else is lost")
    func damageIsSetAside() throws {
        let store = try makeEarlierStore()
        let segment = URL(fileURLWithPath: store + "/segment-1.earcatalog")
        var bytes = try Data(contentsOf: segment)
        bytes[bytes.count / 2] ^= 16
        try bytes.write(to: segment)
        let check = try check(store)
        #expect(check.status == 1 && check.output.contains("segment-1.earcatalog: damaged: "))
        #expect(throws: (any Error).self) { try server() }
        do {
            let server = try server(["--set-aside-damaged"])
            let health = try Self.ask(server.port, "GET", "/health").map {
                String(decoding: $0.body, as: UTF8.self)
            }
            #expect(health?.contains(#""part":"segment-1.earcatalog""#) == true)
        }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: store + "/set-aside/segment-1.earcatalog")) == bytes)
        let export = try EarshotProcess("store", "export", store, "-o", folder.file("out"))
        #expect(export.status == 0, "\(export.errors)")
        #expect(FileManager.default.fileExists(atPath: folder.file("out/latest.earsignature")))
        let repaired = try EarshotProcess("store", "repair", store)
        #expect(repaired.status == 0 && repaired.output.contains("set-aside/segment-1.earcatalog: "))
    }

    @Test("A damaged reference of the manifest is set aside, and the segment stays")
    func damagedRowsAreSetAside() throws {
        let store = try makeEarlierStore()
        try DatabaseQueue(path: store + "/manifest.sqlite").write { database in
            try database.execute(sql: "UPDATE reference SET signature = x'0102'")
        }
        #expect(try check(store).status == 1)
        let repair = try EarshotProcess("store", "repair", store)
        #expect(repair.status == 0 && repair.errors.contains("set aside, because reference \"latest\""))
        let after = try check(store)
        #expect(after.status == 0 && after.output.contains("2 references"))
        #expect(after.output.contains("set-aside/reference-1.earsignature: "))
    }
}
