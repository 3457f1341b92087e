import AudioCore
import AudioIO
import Foundation
import TestSupport
import Testing

/// `custom-catalog update`, `display` and `verify`, by their contract; kills and races included.
@Suite struct CustomCatalogTests {
    struct Display: Decodable {
        struct Reference: Decodable {
            var id: String
            var title: String?
            var durationSeconds: Double
            var peaks, bytes: Int
            var items: [Item]
        }
        struct Item: Decodable {
            var id: String
            var properties: [String: String]
        }
        var references: [Reference]
        var hours: Double
        var bytes, indexBytes: Int
    }

    private let folder: TemporaryFolder
    private let catalog: String

    /// A catalog of one piece, and signatures of three.
    init() throws {
        folder = try TemporaryFolder()
        catalog = folder.file("m.earcatalog")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for name in ["one", "two", "three"] {
            let song = ScoreSong(seed: StableHash.of(name), seconds: 20)
            try AudioFile.write(song.render(), to: folder.file(name + ".wav"), as: wav)
            let run = try EarshotProcess(
                "signature", "-i", folder.file(name + ".wav"), "-o", folder.file(name + ".earsignature"))
            #expect(run.status == 0, "\(run.errors)")
        }
        let create = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.file("one.earsignature"), "-o", catalog)
        #expect(create.status == 0, "\(create.errors)")
    }

    private func display() throws -> Display {
        let run = try EarshotProcess("custom-catalog", "display", catalog, "--json")
        #expect(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode(Display.self, from: Data(run.output.utf8))
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test func updateAddsAndReplaces() throws {
        let add = try EarshotProcess(
            "custom-catalog", "update", "-i", catalog, "-s", folder.file("two.wav"),
            folder.file("three.earsignature"))
        #expect(add.status == 0 && add.output.isEmpty, "\(add.errors)")
        #expect(add.errors.contains("2 references added, 0 replaced"))
        #expect(try display().references.map(\.id) == ["one", "two", "three"])
        let together = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.file("one.wav"), folder.file("two.wav"),
            folder.file("three.wav"), "-o", folder.file("all.earcatalog"))
        #expect(together.status == 0, "\(together.errors)")
        #expect(try bytes(catalog) == bytes(folder.file("all.earcatalog")))

        let before = try bytes(catalog)
        let clash = try EarshotProcess(
            "custom-catalog", "update", "-i", catalog, "-s", folder.file("two.earsignature"))
        #expect(clash.status == 1)
        #expect(clash.errors.contains("\(catalog): already has a reference \"two\""), "\(clash.errors)")
        #expect(try bytes(catalog) == before)
        let replace = try EarshotProcess(
            "custom-catalog", "update", "-i", catalog, "-s", folder.file("two.earsignature"), "--replace")
        #expect(replace.status == 0 && replace.errors.contains("0 references added, 1 replaced"))
        #expect(try display().references.map(\.id) == ["one", "three", "two"])
    }

    @Test func displayListsReferences() throws {
        let shown = try display()
        #expect(shown.references.count == 1)
        let reference = try #require(shown.references.first)
        #expect(reference.id == "one" && reference.title == "one")
        #expect(reference.durationSeconds == 20 && reference.peaks > 100)
        #expect(reference.bytes >= 4 * reference.peaks && reference.bytes < 5 * reference.peaks + 200)
        #expect(try shown.bytes == bytes(catalog).count && shown.indexBytes < shown.bytes)
        #expect(abs(shown.hours - 20 / 3600) < 1e-9)
        let table = try EarshotProcess("custom-catalog", "display", catalog)
        let lines = table.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].split(separator: " ") == ["id", "title", "duration", "peaks", "bytes"])
        #expect(
            lines[1].split(separator: " ").map(String.init)
                == ["one", "one", "0:20.0", "\(reference.peaks)", "\(reference.bytes)"])
        #expect(lines[2] == "  \(try #require(reference.items.first).id)  title=one")
        #expect(reference.items.map(\.properties) == [["title": "one"]])
        #expect(try EarshotProcess("custom-catalog", "display", "-i", catalog).output == table.output)
    }

    @Test func verifyNamesTheByte() throws {
        let sound = try EarshotProcess("custom-catalog", "verify", catalog)
        #expect(sound.status == 0)
        #expect(sound.output.hasPrefix("\(catalog): sound, 1 reference,"), "\(sound.output)")
        var damaged = try bytes(catalog)
        damaged[damaged.count / 2] ^= 1
        try damaged.write(to: URL(fileURLWithPath: catalog))
        for command in [["verify", catalog], ["display", catalog]] {
            let run = try EarshotProcess("custom-catalog", command[0], command[1])
            #expect(run.status == 1 && !run.isSignalled)
            #expect(run.errors.contains("\(catalog): byte "), "\(run.errors)")
        }
        #expect(try EarshotProcess("custom-catalog", "verify").status == 64)
        #expect(try EarshotProcess("custom-catalog", "update", catalog).status == 64)
        #expect(try EarshotProcess("custom-catalog", "verify", folder.file("none")).status == 1)
    }

    @Test func updatesAtOnceAllCount() throws {
        let commands = try ["two", "three"].map { name in
            try EarshotProcess.Started(command: [
                EarshotProcess.binary, "custom-catalog", "update", "-i", catalog, "-s",
                folder.file(name + ".earsignature"),
            ])
        }
        for command in commands {
            let run = try command.finish()
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try Set(display().references.map(\.id)) == ["one", "two", "three"])
        #expect(try EarshotProcess("custom-catalog", "verify", catalog).status == 0)
    }

    /// Kills updates at two dozen moments from their start to beyond their end.
    @Test func killedUpdatesLeaveTheOldCatalogOrTheNew() throws {
        // Long enough that much of an update is writing: ten minutes of noise, forty times.
        let wav = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(
            TestSignals.noise(seed: 3, seconds: 600, sampleRate: 8000), to: folder.file("noise.wav"), as: wav)
        let many = try folder.makeFolder("many")
        let signature = many + "/noise 0.earsignature"
        #expect(try EarshotProcess("signature", "-i", folder.file("noise.wav"), "-o", signature).status == 0)
        for copy in 1..<40 {
            try FileManager.default.copyItem(atPath: signature, toPath: "\(many)/noise \(copy).earsignature")
        }
        #expect(try EarshotProcess("custom-catalog", "create", "-s", many, "-o", catalog).status == 0)
        let old = try bytes(catalog)
        let update = [
            EarshotProcess.binary, "custom-catalog", "update", "-i", catalog, "-s",
            folder.file("two.earsignature"),
        ]
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try EarshotProcess.Started(command: update).finish().status == 0)
        let duration = (clock.now - start) / .seconds(1)
        let new = try bytes(catalog)
        #expect(new.count > old.count)

        var kept = 0
        for moment in 0..<24 {
            try old.write(to: URL(fileURLWithPath: catalog))
            let run = try EarshotProcess.Started(command: update)
            usleep(UInt32(1e6 * duration * Double(moment) / 20))
            kill(run.process.processIdentifier, SIGKILL)
            _ = try run.finish()
            let left = try bytes(catalog)
            #expect(left == old || left == new, "killed at moment \(moment)")
            if left == old { kept += 1 }
        }
        #expect(kept > 0)
        // The next update works, and clears away what the killed ones left.
        try old.write(to: URL(fileURLWithPath: catalog))
        #expect(try EarshotProcess.Started(command: update).finish().status == 0)
        #expect(try bytes(catalog) == new)
        #expect(folder.names().filter { $0.hasSuffix(".part") }.isEmpty)
    }
}
