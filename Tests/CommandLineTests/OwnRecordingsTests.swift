import AudioIO
import Corpora
import Evaluation
import Foundation
import SystemIO
import TestSupport
import Testing

/// A folder of recordings to a report, and its queries written and read back, as a user would.
@Suite struct OwnRecordingsTests {
    private static let plan = """
        name: own
        corpus: synthetic
        seed: 3
        positives: 2
        negatives: 0
        lengthSeconds: 3
        latencyTrials: 2
        families:
          - {name: noise, severities: [10], unit: dB, chain: [{noise: {colour: pink, snrDecibels: $severity}}]}
          - {name: speed, severities: [2], unit: "%", chain: [{speed: {percent: $severity}}]}
        """

    /// The rows of a run's table of trials, reduced to the named columns.
    private static func trials(_ folder: String, _ columns: [String]) throws -> Set<[String]> {
        var reader = try CSVReader(path: folder + "/trials.csv")
        let header = try #require(try reader.next()).map(\.text)
        let places = try columns.map { column in try #require(header.firstIndex(of: column)) }
        var rows: Set<[String]> = []
        while let row = try reader.next() { rows.insert(places.map { row[$0].text }) }
        return rows
    }

    private static func groups(_ folder: String) throws -> Set<String> {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/summary.json"))
        let summary = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return Set(try #require(summary["groups"] as? [String: Any]).keys)
    }

    @Test func queriesThatAreWrittenAndReadBackGiveTheSameTrials() throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("my <b>music</b> 'n' more".replacing("/", with: "_"))
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(0)..<3 {
            try AudioFile.write(
                SyntheticMusic(seed: 40 + seed, seconds: 14).render(), to: "\(music)/piece \(seed).wav",
                as: wav)
        }
        // The folder takes the place of the plan's corpus.
        try AtomicFile.write(
            Self.plan.replacing("corpus: synthetic\n", with: ""), to: folder.file("own.yaml"))
        let environment = ["XDG_CACHE_HOME": folder.file("cache")]
        let nameless = try EarshotProcess(
            "evaluate", "--plan", folder.file("own.yaml"), "--output", folder.file("run"),
            environment: environment)
        #expect(nameless.status == 1 && nameless.errors.contains("own.yaml:1: `corpus` is missing"))
        let own = ["--folder", music, "--plan", folder.file("own.yaml")]
        let run = try EarshotProcess(
            shell: "exec $EARSHOT evaluate \(words(own)) --output \(words([folder.file("run")]))",
            environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        let written = try EarshotProcess(
            shell: "exec $EARSHOT degrade \(words(own)) --output \(words([folder.file("queries")]))",
            environment: environment)
        #expect(written.status == 0, "\(written.errors)")

        let asked = [
            "degradation", "severity", "truthReferences", "queryDigest", "answerReference", "outcome",
        ]
        let exact = ["truthOffsetSeconds", "truthFrequencySkew", "truthTimeSkew", "offsetErrorSeconds"]
        for (list, columns) in [
            ("truth.csv", asked + exact + ["chain"]), ("mirex-truth.txt", Array(asked.dropFirst(2))),
            ("annotations.csv", Array(asked.dropFirst(2))),
        ] {
            let output = folder.file("read-\(list)")
            let read = try EarshotProcess(
                "evaluate", "--references", music, "--queries", folder.file("queries") + "/" + list,
                "--details", "0", "--output", output, environment: environment)
            #expect(read.status == 0, "\(read.errors)")
            #expect(try Self.trials(output, columns) == Self.trials(folder.file("run"), columns), "\(list)")
            // Only a table of truth says what was done to a query.
            let groups: Set<String> = try list == "truth.csv" ? Self.groups(folder.file("run")) : ["length"]
            #expect(try Self.groups(output) == groups)
        }
        let export = try EarshotProcess("export", folder.file("run"), "--output", folder.file("formats"))
        #expect(export.status == 0, "\(export.errors)")
        for name in ["truth.csv", "annotations.csv"] {
            #expect(
                try String(contentsOfFile: folder.file("formats") + "/" + name, encoding: .utf8)
                    == String(contentsOfFile: folder.file("queries") + "/" + name, encoding: .utf8))
        }
        let results = try String(
            contentsOfFile: folder.file("formats") + "/mirex-results.txt", encoding: .utf8)
        #expect(results.contains("noise_10-db_3s_p000.wav\tpiece "))
        let matches = try String(contentsOfFile: folder.file("formats") + "/matches.csv", encoding: .utf8)
        #expect(
            matches.hasPrefix("reference_id,query_id,reference_begin,reference_end,query_begin,query_end\r\n")
        )
        #expect(matches.split(separator: "\r\n").count == 5)
    }

    /// Twelve recordings are divided, and what each file is for is said before the work.
    @Test func aFolderSaysWhatItsFilesAreFor() throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(0)..<24 {
            try AudioFile.write(
                SyntheticMusic(seed: 40 + seed, seconds: 9).render(), to: "\(music)/\(seed).wav", as: wav)
        }
        try AudioFile.write(SyntheticMusic(seed: 1, seconds: 2).render(), to: music + "/short.wav", as: wav)
        try AtomicFile.write(
            Self.plan.replacing("negatives: 0", with: "negatives: 9"), to: folder.file("own.yaml"))
        func counts(_ options: String) throws -> [Int] {
            let run = try EarshotProcess(
                shell:
                    "exec $EARSHOT evaluate --dry-run --folder \(music) --plan \(folder.file("own.yaml")) \(options)",
                environment: ["XDG_CACHE_HOME": folder.file("cache")])
            #expect(run.status == 0 && run.output.contains("about <1 minutes"), "\(run.errors)")
            let line = try #require(run.errors.split(separator: "\n").first { $0.contains("references, ") })
            return line.matches(of: /\d+/).compactMap { Int($0.output) }
        }
        let divided = try counts("")
        // Files, references, queried, negatives, of the other half, left out.
        #expect(divided[0] == 25 && divided.last == 1 && divided[2] < divided[1], "\(divided)")
        #expect(divided[1] + divided.dropFirst(3).reduce(0, +) == 25, "\(divided)")
        #expect(try counts("--undivided").prefix(2) == [25, 24])
        #expect(folder.names().sorted() == ["cache", "music", "own.yaml"])
    }

    /// The versions of one matcher share a folder, and the last is judged.
    ///
    /// Another matcher is refused before the work.
    @Test func aFolderHoldsOneMatcher() throws {
        let folder = try TemporaryFolder()
        try AtomicFile.write(Self.plan, to: folder.file("own.yaml"))
        let evaluate =
            "exec $EARSHOT evaluate --details 0 --plan \(folder.file("own.yaml")) --output \(folder.file("run"))"
        for settings in ["", " --set decision.threshold=4"] {
            let run = try EarshotProcess(shell: evaluate + settings)
            #expect(run.status == 0, "\(run.errors)")
        }
        let exported = try EarshotProcess("export", folder.file("run"), "--output", folder.file("formats"))
        #expect(exported.status == 0, "\(exported.errors)")
        let other = try EarshotProcess(shell: evaluate + " --matcher null")
        #expect(
            other.status == 1 && other.errors.contains("not of null. Name another folder"), "\(other.errors)")
    }

    @Test func aFolderNeedsNoWritableCache() throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(0)..<2 {
            try AudioFile.write(
                SyntheticMusic(seed: 40 + seed, seconds: 9).render(), to: "\(music)/\(seed).wav", as: wav)
        }
        try AtomicFile.write(Self.plan, to: folder.file("own.yaml"))
        let options = "--folder \(music) --plan \(folder.file("own.yaml")) --matcher null"
        let run = try EarshotProcess(
            shell: "exec $EARSHOT evaluate \(options) --no-cache --output \(folder.file("run"))",
            environment: ["XDG_CACHE_HOME": "/dev/null"])
        #expect(run.status == 0 && run.errors.contains("folders cannot be written"), "\(run.errors)")
    }

    @Test func resultsAreNotWrittenAmongTheRecordings() throws {
        let folder = try TemporaryFolder()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(SyntheticMusic(seed: 1, seconds: 9).render(), to: folder.file("1.wav"), as: wav)
        let environment = ["XDG_CACHE_HOME": try folder.makeFolder(".cache")]
        let run = try EarshotProcess(
            "evaluate", "--folder", folder.path, "--plan", "smoke", "--output", folder.file("run"),
            environment: environment)
        #expect(run.status == 64 && run.errors.contains("into the folder of recordings"))
        for command in ["evaluate", "degrade", "growth", "tune", "streams"] {
            // A path may be given for a corpus, too.
            let run = try EarshotProcess(
                command, "--corpus", folder.path, "--plan", "smoke", "--output", folder.file("run"),
                environment: environment)
            #expect(run.status == 64, "\(command): \(run.errors)")
            #expect(run.errors.contains("into the folder of recordings"), "\(command): \(run.errors)")
        }
        #expect(folder.names() == [".cache", "1.wav"])
        let both = try EarshotProcess("evaluate", "--folder", folder.path, "--corpus", "games")
        #expect(both.status == 64 && both.errors.contains("exclude each other"))
        let half = try EarshotProcess("evaluate", "--queries", "list.csv")
        #expect(half.status == 64 && half.errors.contains("belong together"))
    }

    private func words(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }
}
