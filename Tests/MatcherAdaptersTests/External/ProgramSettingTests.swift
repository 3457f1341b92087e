import AudioCore
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

/// Settings that a program states, or that stand in its command line.
@Suite struct ProgramSettingTests {
    /// A program that states settings, and answers with what it was configured with.
    private struct Program {
        let folder: TemporaryFolder
        let command: String

        init(_ tunables: String, protocol number: Int = 3, refusing word: String = "-") throws {
            folder = try TemporaryFolder()
            let script = folder.file("adapter.py")
            try #"""
            import json, sys
            number, tunables, word = int(sys.argv[1]), json.load(open(sys.argv[2])), sys.argv[3]
            values, known = sys.argv[4:], []
            for line in sys.stdin:
                ask = json.loads(line)
                answer = {"ok": True}
                if ask["op"] == "hello":
                    answer = {"protocol": number, "name": "told", "version": "1", "tunables": tunables}
                elif ask["op"] == "configure":
                    values = [json.dumps(ask["settings"], sort_keys=True)]
                    if word in values[0]: answer = {"error": "no " + word}
                elif ask["op"] == "enrol":
                    known.append(ask["id"])
                elif ask["op"] == "identify":
                    if "DIE" in values: sys.exit(3)
                    score = sum(map(ord, " ".join(values)))
                    answer = {"query": ask["query"], "answers": [{"id": known[0], "offsetSeconds": 0, "score": score}]}
                print(json.dumps(answer), flush=True)
            """#.write(toFile: script, atomically: true, encoding: .utf8)
            try tunables.write(toFile: folder.file("tunables.json"), atomically: true, encoding: .utf8)
            command = "python3 '\(script)' \(number) '\(folder.file("tunables.json"))' \(word)"
        }

        func request(_ words: String..., settings: [TunableSetting]? = nil) -> MatcherRequest {
            MatcherRequest(
                settings: words.map {
                    let parts = $0.split(separator: "=").map(String.init)
                    return .init(name: parts[0], text: parts[1])
                }, program: .init(command: command, settings: settings))
        }

        /// The sum of the characters of what it was configured with.
        static func score(of contestant: Contestant) throws -> Double? {
            let matcher = try contestant.make()
            defer { (matcher as? ExternalMatcher)?.end() }
            let audio = AudioBuffer(samples: [Float](repeating: 0.1, count: 8000), sampleRate: 8000)
            try matcher.enrol(id: "a", audio: audio)
            _ = try matcher.finishEnrolment()
            return try matcher.identify(Query(name: "q", audio: audio)).first?.score
        }

        static func sum(_ text: String) -> Double {
            Double(text.unicodeScalars.reduce(0) { $0 + Int($1.value) })
        }
    }

    private static let stated = #"""
        [{"name": "fan", "type": "whole", "lowest": 3, "highest": 30, "default": 10, "scale": "logarithmic", "summary": "s"},
         {"name": "floor", "lowest": -1, "highest": 1, "step": 0.1, "default": 0},
         {"name": "mode", "choices": ["fast", "slow"], "default": "slow"},
         {"name": "exact", "default": true}]
        """#

    @Test func aProgramGetsTheValueOfEverySettingItStates() throws {
        let program = try Program(Self.stated)
        let asked = try program.request().contestant(knowingSettings: true)
        #expect(asked.tunables.map(\.name) == ["fan", "floor", "mode", "exact"])
        #expect(asked.tunables.map(\.standard) == [10, 0, 1, 1])
        #expect(asked.tunables.map(\.valueCount) == [28, 21, 2, 2])
        #expect(try Program.score(of: asked) == 0, "nothing was chosen, so nothing is configured")
        let chosen = try program.request("fan=12", "floor=0.3", "mode=fast", "exact=false").contestant()
        let told = #"{"exact": false, "fan": 12, "floor": 0.3, "mode": "fast"}"#
        #expect(try Program.score(of: chosen) == Program.sum(told))
        let matcher = try chosen.make()
        defer { (matcher as? ExternalMatcher)?.end() }
        #expect(matcher.settings["fan"] == "12" && matcher.settings["mode"] == "fast")
        #expect(try program.request().contestant().tunables.isEmpty, "it is not started for nothing")
    }

    @Test func earlierProtocolsHaveNoSettings() throws {
        for number in 1...2 {
            let program = try Program(Self.stated, protocol: number)
            #expect(try program.request().contestant(knowingSettings: true).tunables.isEmpty)
            #expect(throws: SettingError.self) { try program.request("fan=12").contestant() }
        }
    }

    @Test(arguments: [
        ("fan=2", "fan cannot be 2.0; expected a whole number in 3.0...30.0"), ("fan=3.5", "whole number"),
        ("floor=0.25", "in steps of 0.1"), ("mode=idle", "expected fast, slow"),
        ("exact=maybe", "false, true"),
        ("fun=3", "no setting fun; there are fan, floor, mode, exact"),
    ])
    func wrongValuesAreNamed(_ setting: String, _ words: String) throws {
        let program = try Program(Self.stated)
        let error = #expect(throws: SettingError.self) { try program.request(setting).contestant() }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (#"[{"name": "a", "lowest": 5, "highest": 3, "default": 4}]"#, "its range is 5.0 to 3.0"),
        (#"[{"name": "a", "lowest": 5, "default": 4}]"#, "its range is 5.0 to nothing"),
        (#"[{"name": "a", "lowest": 0, "highest": 3, "default": 4}]"#, "its default does not fit"),
        (#"[{"name": "a", "lowest": 0, "highest": 3, "default": "x"}]"#, "its default does not fit"),
        (#"[{"name": "a", "lowest": 0, "highest": 3, "default": 1, "scale": "logarithmic"}]"#, "above 0"),
        (#"[{"name": "a", "lowest": 0, "highest": 3, "default": 1, "step": 0}]"#, "`step` is 0.0"),
        (#"[{"name": "a", "type": "whole", "lowest": 0.5, "highest": 3, "default": 1}]"#, "it is whole"),
        (#"[{"name": "a", "choices": [], "default": "x"}]"#, "2 to 100 different words"),
        (#"[{"name": "a", "choices": ["x", "x"], "default": "x"}]"#, "2 to 100 different words"),
        (#"[{"name": "a", "choices": ["x", "1"], "default": "x"}]"#, "the choice '1' is no word"),
        (#"[{"name": "a", "choices": ["x", "y"], "default": "z"}]"#, "`default` is 'z'"),
        (
            #"[{"name": "a", "type": "choice", "lowest": 0, "highest": 1, "default": 0}]"#,
            "`choices` is missing"
        ),
        (#"[{"name": "a b", "default": true}]"#, "expected 1 to 60 letters"),
        (#"[{"name": "a", "default": true}, {"name": "a", "default": true}]"#, "twice"),
    ])
    func statementsThatContradictThemselvesAreRefused(_ stated: String, _ words: String) throws {
        let program = try Program(stated)
        let error = #expect(throws: (any Error).self) {
            try program.request().contestant(knowingSettings: true)
        }
        #expect(error.map { "\($0)" }?.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func aRefusalOfConfigureIsItsError() throws {
        let program = try Program(Self.stated, refusing: "12")
        let error = #expect(throws: ExternalMatcherError.self) {
            try program.request("fan=12").contestant().make()
        }
        #expect(error?.description.contains("no 12") == true, "\(error?.description ?? "")")
    }

    @Test func valuesStandInTheCommandLine() throws {
        let program = try Program("[]", protocol: 1)
        let folder = program.folder
        let file = folder.file("settings.yaml")
        try """
        settings:
          - {name: fan, type: whole, lowest: 3, highest: 30, default: 10}
          - {name: mode, choices: [fast, slow], default: slow}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let settings = try SettingFile.tunables(path: file)
        func contestant(_ template: String, _ chosen: [String: Double]) throws -> Contestant {
            try MatcherRequest(program: .init(command: program.command + template, settings: settings))
                .contestant().choosing(chosen)
        }
        #expect(try Program.score(of: contestant(" --fan={fan} {mode}", [:])) == Program.sum("--fan=10 slow"))
        #expect(
            try Program.score(of: contestant(" --fan={fan} {mode}", ["fan": 7, "mode": 0]))
                == Program.sum("--fan=7 fast"))
        for (template, words) in [
            (" {fan}", "the command line has no {mode}"),
            (" {fan} {mode} {fam}", "the command line has {fam}"),
        ] {
            let error = #expect(throws: ExternalMatcherError.self) { try contestant(template, [:]) }
            #expect(error?.description.contains(words) == true)
        }
    }

    @Test(arguments: [
        ("settings: []", "`settings` is empty"), ("setting: []", "unknown key"),
        ("settings:\n  - {name: a, lowest: 3, highest: 1, default: 2}", "settings.yaml:2"),
        ("settings:\n  - {name: a, lowest: 1, highest: 3, defolt: 2}", "no setting has a key `defolt`"),
        ("settings:\n  - {name: a, lowest: one, highest: 3, default: 2}", "settings.yaml:2"),
        ("settings:\n  - 7", "settings.yaml:2"),
    ])
    func mistakesInAFileHaveTheirLine(_ text: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("settings.yaml")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: ConfigurationError.self) { try SettingFile.tunables(path: file) }
        #expect(error.map { "\($0)" }?.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
    }
}
