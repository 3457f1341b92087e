import AudioCore
import Degradations
import Evaluation
import Foundation
import MatcherAdapters
import TestSupport
import Testing

/// A program of degradations is asked strictly, and each fault names the degradation.
@Suite struct ExternalDegradationsTests {
    private let folder: TemporaryFolder
    private let audio = TestSignals.noise(seed: 1, seconds: 0.5, sampleRate: 8000)

    init() throws { folder = try TemporaryFolder() }

    /// Copies the input; each name is a way to go wrong.
    private static let script = """
        import json, os, shutil, sys, time
        offered = [{"name": name, "version": "1"} for name in sys.argv[2:]]
        if sys.argv[1] == "severities":
            offered[0]["severities"] = [1, -2.5]
        count = 0
        for line in sys.stdin:
            request = json.loads(line)
            count += 1
            if request["op"] == "hello":
                answer = {"protocol": 9 if sys.argv[1] == "protocol" else 1, "degradations": offered}
            else:
                name = request["name"]
                answer = {"ok": name != "refusal", "delaySeconds": 0.5 if name == "late" else None}
                if name == "crash":
                    sys.exit(3)
                if name == "hang":
                    time.sleep(100)
                if name == "error":
                    answer = {"error": "out of luck"}
                if name == "garbage":
                    open(request["output"], "w").write("no audio")
                elif name != "nothing":
                    shutil.copy(request["path"], request["output"])
                if name == "changing":
                    data = bytearray(open(request["output"], "rb").read())
                    data[-4:] = bytes([0, 0, count % 100, 60])
                    open(request["output"], "wb").write(data)
                if name == "environment":
                    answer = {"error": " ".join(sorted(os.environ))}
            print(json.dumps(answer), flush=True)
        """

    private func program(_ mode: String, _ names: String...) throws -> ExternalDegradations {
        let path = folder.file("program.py")
        try Self.script.write(toFile: path, atomically: true, encoding: .utf8)
        let words = names.map { "'\($0)'" }.joined(separator: " ")
        return try ExternalDegradations(
            DegradationRequest(command: "python3 '\(path)' \(mode) \(words)", limitSeconds: 3))
    }

    @Test func samplesAndDelaysPassUnchanged() throws {
        let program = try program("severities", "copy", "late")
        #expect(
            program.offered == [
                OfferedDegradation(name: "copy", version: "1", severities: [1, -2.5]),
                OfferedDegradation(name: "late", version: "1"),
            ])
        let loud = AudioBuffer(
            samples: audio.samples.map { 3 * $0 }, sampleRate: audio.sampleRate, channelCount: 2)
        for seed in 0..<10 {
            let copy = try program.degrade(loud, by: "copy", version: "1", severity: 1, seed: seed)
            #expect(copy == DegradedAudio(loud))
        }
        let late = try program.degrade(loud, by: "late", version: nil, severity: nil, seed: 1)
        #expect(late.delaySeconds == 0.5)
    }

    @Test(arguments: [
        ("crash", "it exited with status 3"),
        ("hang", "gave no answer to a query within 3.0 s; it was killed"),
        ("error", "says: out of luck"), ("refusal", "`ok` is false"),
        ("nothing", "wrote no file to `output`"),
        ("garbage", "its output cannot be read"),
        ("changing", "gave other samples when it was asked again"),
    ])
    func aFaultNamesTheDegradation(_ name: String, _ message: String) throws {
        let program = try program("plain", name)
        let error = #expect(throws: DegradationProgramError.self) {
            try program.degrade(audio, by: name, version: "1", severity: nil, seed: 1)
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("degradation \(name): ") && text.contains(message), "\(text)")
        #expect(!text.contains("earshot-adapter-"), "\(text)")
    }

    @Test func anotherNameOrVersionIsRefused() throws {
        let program = try program("plain", "copy")
        for (name, version, message) in [
            ("copi", "1", "does not offer it"), ("copy", "2", "is of version 1 now"),
        ] {
            let error = #expect(throws: DegradationProgramError.self) {
                try program.degrade(audio, by: name, version: version, severity: nil, seed: 1)
            }
            #expect(error?.description.contains(message) == true)
        }
    }

    @Test func theProgramKnowsLittleOfItsEnvironment() throws {
        let program = try program("plain", "environment")
        let error = #expect(throws: DegradationProgramError.self) {
            try program.degrade(audio, by: "environment", version: "1", severity: nil, seed: 1)
        }
        #expect(error?.description.contains("TMPDIR") == true)
        #expect(error?.description.contains("XDG_CACHE_HOME") == false)
    }

    @Test(arguments: [
        ("protocol", "a", "b", "speaks protocol 9 of degradations"),
        ("plain", "a b", "A-B", "expected a name that no other one resembles"),
        ("plain", "--", "b", "a name with a letter or a digit"),
    ])
    func aWrongOfferIsRefused(_ mode: String, _ first: String, _ second: String, _ message: String) throws {
        do {
            _ = try program(mode, first, second)
            Issue.record("it was accepted")
        } catch { #expect("\(error)".contains(message), "\(error)") }
    }
}
