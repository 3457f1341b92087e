import AudioIO
import Corpora
import Foundation
import SystemIO
import TestSupport
import Testing

/// `earshot rerecord` through a virtual speaker and microphone, or with a tape, and its list through `evaluate`.
@Suite(.serialized, .timeLimit(.minutes(10)), .tags(.timed)) struct RerecordMicrophoneTests {
    private let folder: TemporaryFolder
    private var plan: String { folder.file("room.yaml") }
    private var music: String { folder.file("music") }
    private var output: String { folder.file("queries") }

    init() throws {
        folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(0)..<3 {
            try AudioFile.write(
                SyntheticMusic(seed: 40 + seed, seconds: 14).render(), to: "\(music)/piece \(seed).wav",
                as: wav)
        }
        try AtomicFile.write(
            """
            name: room
            corpus: synthetic
            seed: 3
            positives: 2
            negatives: 0
            lengthSeconds: 3
            latencyTrials: 0
            families:
              - name: clean
              - {name: speed, severities: [2], unit: "%", chain: [{speed: {percent: $severity}}]}
            """, to: plan)
    }

    private var environment: [String: String] {
        ["XDG_CACHE_HOME": folder.file("cache"), "PULSE_SERVER": "unix:\(folder.file("none"))"]
    }

    private func rerecord(
        _ options: String..., server: String? = nil, plan: String? = nil
    ) throws -> EarshotProcess {
        let words = ["rerecord", plan ?? self.plan, "--folder", music] + options
        return try EarshotProcess(
            shell: "exec $EARSHOT " + words.map { "'\($0)'" }.joined(separator: " "),
            environment: environment.merging(server.map { ["PULSE_SERVER": $0] } ?? [:]) { $1 })
    }

    /// The rows of a table, as column names and texts.
    private func rows(_ path: String) throws -> [[String: String]] {
        var reader = try CSVReader(path: path)
        let header = try #require(try reader.next()).map(\.text)
        var rows: [[String: String]] = []
        while let row = try reader.next() {
            rows.append(Dictionary(uniqueKeysWithValues: zip(header, row.map(\.text))))
        }
        return rows
    }

    /// Runs our matcher on the recorded queries: an observer of starts and skews that knows nothing of sweeps.
    private func checkEvaluation(cells: Set<String>) throws {
        let run = try EarshotProcess(
            "evaluate", "--references", music, "--reference-list", output + "/references.txt", "--queries",
            output + "/truth.csv", "--details", "0", "--output", folder.file("run"),
            environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        let trials = try rows(folder.file("run") + "/trials.csv")
        #expect(trials.count == 4 && Set(trials.compactMap { $0["degradation"] }) == cells)
        for trial in trials {
            #expect(trial["outcome"] == "correct")
            #expect(abs(try #require(trial["offsetErrorSeconds"].flatMap(Double.init))) < 2e-3, "\(trial)")
        }
    }

    @Test(.enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired))
    func aKilledSessionResumesAndItsListIsEvaluated() throws {
        let virtual = try VirtualMicrophone()
        let session = try EarshotProcess.Started(
            command: [
                EarshotProcess.binary, "rerecord", plan, "--folder", music, "--output", output, "--room",
                "lab",
            ], environment: environment.merging(["PULSE_SERVER": virtual.server]) { $1 })
        _ = session.reaches { (try? rows(output + "/truth.csv"))?.isEmpty == false }
        kill(session.process.processIdentifier, SIGKILL)
        #expect(try session.finish().isSignalled)
        let first = try rows(output + "/truth.csv")
        #expect((1...3).contains(first.count))
        let stamps = try first.map { try stamp($0) }

        let rest = try rerecord("--output", output, "--room", "lab", server: virtual.server)
        #expect(rest.status == 0, "\(rest.errors)")
        #expect(rest.output.contains("\(first.count) were there"))
        #expect(try first.map { try stamp($0) } == stamps)
        let all = try rows(output + "/truth.csv")
        #expect(all.count == 4 && all.allSatisfy { $0["room"] == "lab" && $0["device"] == "" })
        for row in all {
            let skew: Double = row["degradation"] == "speed" ? 0.02 : 0
            #expect(abs(try #require(row["timeSkew"].flatMap(Double.init)) - skew) < 5e-6)
            let file = try AudioFile.info(output + "/" + #require(row["query"]))
            #expect(file.sampleRate == 48_000)
        }
        try checkEvaluation(cells: ["clean, room lab", "speed, room lab"])
    }

    private func stamp(_ row: [String: String]) throws -> Date {
        let path = output + "/" + (try #require(row["query"]))
        return try #require(FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
    }

    @Test func aTapeThatAnotherDeviceRecordsIsCutAndEvaluated() throws {
        let tape = folder.file("tape.wav")
        #expect(try rerecord("--write-wav", tape).output.hasPrefix(tape + ": 0:00:"))
        // A phone at 44.1 kHz whose clock is 200 ppm slow.
        let heard = try Resampler.resample(AudioFile.read(tape), lengthRatio: 918_566, over: 1_000_000)
        let recording = folder.file("phone.flac")
        try AudioFile.write(
            .init(samples: heard.samples.map { 0.2 * $0 }, sampleRate: 44_100), to: recording,
            as: #require(AudioEncoding("flac-16")))
        let skew = 0.918_566 * 48_000 / 44_100 - 1

        let cut = try rerecord("--cut", recording, "--output", output, "--device", "phone A")
        #expect(cut.status == 0, "\(cut.errors)")
        #expect(cut.output.contains(String(format: "clock skew %+.1f ppm", skew * 1e6)), "\(cut.output)")
        try checkEvaluation(cells: ["clean, device phone A", "speed, device phone A"])
        // Nothing is left to do, and no sound server is needed for that.
        let again = try rerecord("--output", output)
        #expect(again.status == 0 && again.output.hasPrefix("0 queries recorded, 4 were there"))
    }

    @Test func missingQueriesAreNamedAndRecordedOnesKept() throws {
        let tape = folder.file("tape.wav")
        _ = try rerecord("--write-wav", tape)
        let audio = try AudioFile.read(tape)
        // The recording ends within the last query.
        try AudioFile.write(
            audio.frames(0..<audio.frameCount - 4 * 48_000), to: folder.file("short.wav"),
            as: #require(AudioEncoding("wav-pcm16")))
        let short = try rerecord("--cut", folder.file("short.wav"), "--output", output)
        #expect(short.status == 1)
        #expect(short.errors.contains("1 query is missing: speed/2-pct/3s/p001"), "\(short.errors)")
        #expect(try rows(output + "/truth.csv").count == 3)

        let unheard = try rerecord("--output", output)
        #expect(unheard.status == 1)
        #expect(unheard.errors.contains("sound server") && unheard.errors.contains("1 query is missing"))
        #expect(
            try String(contentsOfFile: output + "/missing.txt", encoding: .utf8) == "speed/2-pct/3s/p001\n")

        // Other queries under the same names do not mix with these.
        let other = try rerecord("--output", output, "--cut", tape, "--seed", "4")
        #expect(other.status == 1 && other.errors.contains("recorded of another query"), "\(other.errors)")
        #expect(try rows(output + "/truth.csv").count == 3)
    }

    @Test func wrongOptionsAreRefused() throws {
        for options in [[], ["--write-wav", "a", "--output", "b"], ["--write-wav", "a", "--cut", "b"]] {
            let run = try EarshotProcess(arguments: ["rerecord", "smoke"] + options)
            #expect(run.status == 64, "\(options)")
        }
        let among = try rerecord("--output", music + "/queries")
        #expect(among.status == 64 && among.errors.contains("into the folder of recordings"))
    }
}
