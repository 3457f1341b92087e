import AudioCore
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Synchronization
import SystemIO
import TestSupport
import Testing

/// On the music of a formula, by a recipe that says `exam: true`.
@Suite struct ExamLedgerTests {
    private let folder: TemporaryFolder
    private var library: CorpusLibrary
    private var ledger: String { folder.file("ledger.csv") }

    init() throws {
        folder = try TemporaryFolder()
        let corpora = try folder.makeFolder("Corpora")
        try FileManager.default.createDirectory(atPath: corpora + "/Plans", withIntermediateDirectories: true)
        let recipe = try String(
            contentsOfFile: PackageFolder.shortCorpora + "/synthetic.yaml", encoding: .utf8)
        try AtomicFile.write(recipe + "exam: true\n", to: corpora + "/synthetic.yaml")
        try FileManager.default.copyItem(
            atPath: PackageFolder.shortCorpora + "/synthetic.lock", toPath: corpora + "/synthetic.lock")
        for name in ["one", "two"] {
            try AtomicFile.write(
                """
                name: \(name)
                corpus: synthetic
                seed: 5
                positives: 4
                negatives: 2
                latencyTrials: 0
                lengthSeconds: 1
                families: [{name: clean}]
                """, to: "\(corpora)/Plans/\(name).yaml")
        }
        library = try CorpusLibrary(recipeFolder: corpora)
        library.opensExams = true
    }

    private func opened(_ plan: String = "one") throws -> OpenedPlan {
        try RunRequest(plan: plan).open(in: library)
    }

    private func contestant(_ version: String, settings: [String: String] = [:]) -> RunFacts.Contestant {
        .init(name: "m", version: version, settings: settings, digest: "d")
    }

    private func look(_ plan: Plan, _ version: String) -> ExamLedger.Look {
        ExamLedger.Look(at: plan, by: contestant(version))
    }

    private func lines() throws -> [String] {
        try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func anExamIsSealedAndNotDivided() throws {
        var sealed = library
        sealed.opensExams = false
        let error = try #require(throws: CorpusError.self) { try RunRequest(plan: "one").open(in: sealed) }
        #expect(error.code == .sealed && error.description.contains("sealed for the exam"))
        // Fetching, listing and auditing open it by its name.
        let corpus = try Corpus.open(named: "synthetic", in: sealed)
        #expect(!corpus.isDivided && corpus.tracks.allSatisfy { $0.role == .enrolled(.test) })

        for half in [nil, CorpusHalf.tuning, .test] {
            let plan = try RunRequest(plan: "one", half: half, positives: 60, negatives: 30).open(in: library)
                .plan
            #expect(plan.half == .test && !plan.folds.isEmpty)
            let sources = Set(plan.trials.filter(\.isPositive).compactMap(\.source))
            #expect(sources == Set(corpus.tracks.map(\.id)))
            for trial in plan.trials where !trial.isPositive {
                let fold = try #require(trial.fold)
                #expect(!plan.references(leavingOut: fold).contains { $0.id == trial.source })
            }
        }
    }

    /// Any order of looks: the first of an engine at a plan is written, and goes on in its folder only.
    @Test(arguments: 1...3) func anEngineLooksOnce(seed: UInt64) throws {
        let plans = try ["one", "two"].map { try opened($0).plan }
        var generator = SeededGenerator(seed: seed, "looks")
        var owners: [[Int]: Int] = [:]
        let exam = try ExamLedger(path: ledger)
        let outputs = try (0..<3).map { try folder.makeFolder("run-\($0)") }
        for step in 1...60 {
            let (plan, version, place) = (
                generator.index(below: 2), generator.index(below: 4), generator.index(below: 3)
            )
            let before = (try? lines()) ?? []
            let owner = owners[[plan, version]]
            if owner == nil || owner == place {
                try exam.record(look(plans[plan], "\(version)"), in: outputs[place])
                owners[[plan, version]] = place
            } else {
                let error = try #require(throws: MeasurementError.self) {
                    try exam.record(look(plans[plan], "\(version)"), in: outputs[place])
                }
                #expect(error.description.hasPrefix(ledger + ":"), "\(error)")
                let line = try #require(
                    Int(error.description.dropFirst(ledger.count + 1).prefix { $0 != ":" }))
                #expect(before[line - 1].contains(",\(plans[plan].digest),m,\(version),"), "\(error)")
            }
            let after = try lines()
            #expect(after.count == 1 + owners.count && Array(after.prefix(before.count)) == before, "\(step)")
        }
        #expect(owners.count == 8)
        _ = try ExamLedger(path: ledger)
    }

    @Test func otherSettingsLookAndOtherCodeDoesNot() throws {
        let plan = try opened().plan
        let notes = Mutex<[String]>([])
        let exam = try ExamLedger(path: ledger) { note in notes.withLock { $0.append(note) } }
        let output = try folder.makeFolder("run")
        try exam.record(look(plan, "1"), in: output)
        try exam.record(.init(at: plan, by: contestant("1", settings: ["a": "b"])), in: output)
        var other = contestant("1")
        other.codeDigest = "another program"
        #expect(throws: MeasurementError.self) { try exam.record(.init(at: plan, by: other), in: output) }
        // Other counts or seeds are the same plan.
        let more = try RunRequest(plan: "one", seed: 6, positives: 5).open(in: library).plan
        #expect(more.digest != plan.digest)
        #expect(throws: MeasurementError.self) { try exam.record(look(more, "1"), in: output) }
        #expect(try lines().count == 3)
        let said = notes.withLock { $0 }
        #expect(said.count == 2 && said[0].contains("seen 0 times, by 0 engines before; this look is line 2"))
        #expect(said[1].contains("seen 1 time, by 1 engine before; this look is line 3"), "\(said)")
    }

    @Test func aProcessThatIsKilledBetweenCopyAndLedgerHasNotLooked() throws {
        let plan = try opened().plan
        let exam = try ExamLedger(path: ledger)
        let output = try folder.makeFolder("run")
        try exam.record(look(plan, "1"), in: output)
        try FileManager.default.removeItem(atPath: ledger)
        try exam.record(look(plan, "1"), in: output)
        #expect(try lines().count == 2)
    }

    @Test(arguments: [
        ("s/^date/day/", 1, "expected the columns date,set"),
        ("2s/,[^,]*$//", 2, "expected 10 cells, found 9"),
        ("2s/T/ /", 2, "`date`: expected a time such as"),
        ("2s/-[0-9][0-9]T/-32T/", 2, "`date`: expected a time"),
        ("3s/synthetic//", 3, "`set`: expected a text"), ("3s/,m,/,,/", 3, "`matcher`: expected a text"),
        ("3s/synthetic,..../synthetic,zzzz/", 3, "`setDigest`: expected 64 hexadecimal digits"),
        ("3s/^..../1999/", 3, "expected a date from"), ("2p", 3, "expected another look than that of line 2"),
        ("2s/$/\\n/", 3, "expected a look"), ("3s/$/,/", 3, "expected 10 cells, found 11"),
    ])
    func aFaultyLineIsNamed(edit: String, line: Int, message: String) throws {
        let plan = try opened().plan
        let exam = try ExamLedger(path: ledger)
        let output = try folder.makeFolder("run")
        for version in ["1", "2"] { try exam.record(look(plan, version), in: output) }
        let edited = try ChildProcess.run(
            "sed", ["-i", edit, ledger], timeoutSeconds: 60, maximumOutputBytes: 1 << 16)
        try #require(edited.end == .exited(0))
        for attempt in 1...2 {
            let error = try #require(throws: ConfigurationError.self) {
                if attempt == 1 { _ = try ExamLedger(path: ledger) }
                if attempt == 2 { try exam.record(look(plan, "3"), in: output) }
            }
            #expect(error.line == line && error.file == ledger, "\(error)")
            #expect(error.message.contains(message), "\(error)")
        }
    }

    @Test func aTornLineAndALedgerThatCannotBeWrittenAreNamed() throws {
        let plan = try opened().plan
        let output = try folder.makeFolder("run")
        try ExamLedger(path: ledger).record(look(plan, "1"), in: output)
        let text = try String(contentsOfFile: ledger, encoding: .utf8)
        for kept in [text.dropLast(), text.dropLast(40)] {
            try AtomicFile.write(String(kept), to: ledger)
            let error = try #require(throws: ConfigurationError.self) { try ExamLedger(path: ledger) }
            #expect(error.line == 2 && error.message.contains("expected the end of a line"), "\(error)")
        }
        for path in [folder.file("none/ledger.csv"), output + "/looks.csv"] {
            #expect(throws: ConfigurationError.self) {
                try ExamLedger(path: path).record(look(plan, "2"), in: output)
            }
        }
    }

    /// Counts the lines of the ledger when it is first given a recording of the corpus, and can then fail.
    private final class Observer: Matcher {
        let name = "observer"
        let version: String
        let settings: [String: String] = [:]
        let ledger: String
        let fails: Bool
        let linesSeen: SharedCounts

        final class SharedCounts: Sendable { let counts = Mutex<[Int]>([]) }

        init(_ version: String, ledger: String, fails: Bool, seeing linesSeen: SharedCounts) {
            (self.version, self.ledger, self.fails, self.linesSeen) = (version, ledger, fails, linesSeen)
        }

        func enrol(id: String, audio: AudioBuffer) throws {
            guard id.hasPrefix("synthetic/") else { return }
            let lines = try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n").count
            linesSeen.counts.withLock { $0.append(lines) }
            if fails { throw MachineError("killed") }
        }

        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Matchers.Query) -> [Candidate] { [] }
    }

    @Test func aRunWritesItsLookFirstAndResumesInItsFolderOnly() throws {
        let (opened, ledger) = (try opened(), ledger)
        let seen = Observer.SharedCounts()
        func run(_ version: String, in name: String, fails: Bool = false) throws {
            let contestant = Contestant(name: "observer", summary: "Answers nothing.") {
                Observer(version, ledger: ledger, fails: fails, seeing: seen)
            }
            var run = try ContestantRun(opened, request: RunRequest(plan: "one"), contestant: contestant)
            run.exam = try ExamLedger(path: ledger)
            _ = try run.run(in: folder.file(name))
        }
        #expect(throws: MachineError.self) { try run("1", in: "first", fails: true) }
        #expect(try lines().count == 2)
        #expect(throws: MeasurementError.self) { try run("1", in: "second") }
        try run("1", in: "first")
        try run("1", in: "first")
        #expect(try lines().count == 2)
        #expect(seen.counts.withLock { $0 }.allSatisfy { $0 == 2 })
        try run("2", in: "second")
        #expect(try lines().count == 3)
        #expect(seen.counts.withLock { $0 }.contains(3))
    }
}
