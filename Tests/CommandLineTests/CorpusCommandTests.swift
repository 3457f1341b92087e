import AudioIO
import Corpora
import Foundation
import TestSupport
import Testing

@Suite struct CorpusCommandTests {
    @Test func listsRolesOfEveryTrack() throws {
        let run = try EarshotProcess(
            "corpus", "list", "synthetic", environment: EarshotProcess.projectCorpora)
        #expect(run.status == 0)
        let rows = run.output.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(rows.count == 41)
        #expect(rows.allSatisfy { $0.count == 6 })
        #expect(rows.dropFirst().allSatisfy { $0[1] == "60.0" && $0[2] == "44100" && $0[4] == $0[5] })
        let roles = Set(rows.dropFirst().map { String($0[0]) })
        #expect(roles == ["negative", "noise", "enrolled:tuning", "enrolled:test"])
        #expect(run.errors.contains("synthetic: 40 tracks in 40 classes, 40 minutes"))
    }

    @Test func anInstalledProgramFindsItsCorpora() throws {
        let folder = try TemporaryFolder()
        let programs = try folder.makeFolder("bin")
        _ = try folder.makeFolder("share")
        let shared = try folder.makeFolder("share/earshot")
        let files = FileManager.default
        try files.copyItem(atPath: EarshotProcess.binary, toPath: programs + "/earshot")
        try files.copyItem(atPath: PackageFolder.path + "/Corpora", toPath: shared + "/Corpora")
        let run = try EarshotProcess(
            shell: "cd / && '\(programs)/earshot' plan list", environment: ["EARSHOT_CORPORA": ""])
        #expect(run.status == 0 && run.output.contains("standard"), "\(run.errors)")
    }

    @Test func aSyntheticCorpusNeedsNoNetwork() throws {
        let run = try EarshotProcess(
            "corpus", "fetch", "synthetic",
            environment: EarshotProcess.projectCorpora.merging(["PATH": "/nowhere"]) { $1 })
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("synthetic: 40 tracks, lock "))
    }

    @Test func aCorpusIsWrittenAsFilesThatAreItsRecordings() throws {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess(
            "corpus", "export", "synthetic", "--count", "2", "--output", folder.file("music"))
        #expect(run.status == 0 && run.output == folder.file("music") + "\n", "\(run.errors)")
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        for track in corpus.tracks.prefix(2) {
            #expect(try AudioFile.read(folder.file("music/\(track.id).flac")) == corpus.audio(of: track))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("music/synthetic")).count == 2)
    }

    /// 69 tells a script that another corpus may do.
    @Test func fetchWithoutAptExitsWith69() throws {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess(
            "corpus", "fetch", "games-small",
            environment: EarshotProcess.projectCorpora.merging(
                ["PATH": "/nowhere", "XDG_CACHE_HOME": folder.path]
            ) { $1 })
        #expect(run.status == 69)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("apt-get"))
    }

    @Test(arguments: [
        (["corpus", "list", "nothing"], 1 as Int32, "there is no corpus \"nothing\""),
        (["corpus", "path", "synthetic"], 1, "earshot corpus export synthetic"),
        (["corpus", "verify", "games-small"], 69, "earshot corpus fetch games-small"),
        (["evaluate", "--corpus", "games-small"], 69, "earshot corpus fetch games-small"),
        (["corpus", "fetch", "games-small", "--packages", "/nowhere"], 69, "/nowhere"),
        (["corpus", "list", "synthetic", "--corpora", "/nowhere"], 1, "no such folder of recipes"),
    ])
    func saysWhatIsWrong(arguments: [String], status: Int32, message: String) throws {
        let folder = try TemporaryFolder()
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(
            shell: "\"$EARSHOT\" \(quoted)",
            environment: EarshotProcess.projectCorpora.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
        #expect(run.status == status)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.isSignalled)
    }

    @Test func aBrokenRecipeIsNamedWithItsLine() throws {
        let folder = try TemporaryFolder()
        let recipe = "description: d\nlicence: l\nsynthetic:\n  tracks: many\n  seconds: 1\n  seed: 1\n"
        try Data(recipe.utf8).write(to: URL(fileURLWithPath: folder.file("broken.yaml")))
        let run = try EarshotProcess("corpus", "list", "broken", "--corpora", folder.path)
        #expect(run.status == 1)
        let place = "\(folder.path)/broken.yaml:4: `tracks`: expected a whole number, found the text \"many\""
        #expect(run.errors.contains(place))
    }
}
