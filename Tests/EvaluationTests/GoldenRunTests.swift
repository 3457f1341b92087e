import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import GRDB
import TestSupport
import Testing

/// Runs and baselines that programs since 0.1.0 wrote; the README beside them says how.
///
/// Each is read as when it was new. Today's program writes the newest formats as they are there: another layout needs
/// another number, and a golden file of it.
@Suite struct GoldenRunTests {
    private static let golden = PackageFolder.path + "/Tests/EvaluationTests/Golden"

    private func read(_ name: String) throws -> (records: [TrialRecord], facts: RunFacts) {
        try RunFolder(reading: "\(Self.golden)/\(name)").onlyRun()
    }

    @Test(arguments: [
        ("run-3", "3.10"), ("run-4", "3.20"), ("run-5", "3.20"),
    ])
    func aRunOfEachFormatIsRead(name: String, engine: String) throws {
        let (records, facts) = try read(name)
        #expect(facts.matcher.version == engine && facts.planName == "tiny")
        #expect(records.map { JudgedTrial($0, threshold: nil).outcome } == [.correct, .correctReject])
        #expect(records[0].candidates.first?.referenceID == records[0].truthReferences.first)
        let passes = records.compactMap(\.latency).flatMap(\.passes)
        #expect(passes.count == 1 && passes.allSatisfy { $0.milliseconds > 0 })
        #expect(passes.allSatisfy { ($0.startedAt != nil) == (name != "run-3") })
        #expect(facts.queryDigests.count == 1 && (facts.queryParts != nil) == (name != "run-3"))
        #expect(facts.recordings?.isEmpty == false && facts.referenceCount == 20)
    }

    @Test(arguments: ["limits-3", "limits-4", "limits-5"]) func aSearchOfEachFormatIsRead(name: String) throws
    {
        let folder = try RunFolder(reading: "\(Self.golden)/\(name)")
        let search = try folder.finishedStudy()
        #expect(search.facts.study?.name == "frontier" && search.facts.trialCount == 1)
        let answers = try folder.store.contents([TrialRecord].self, as: .trial, in: search.key)
        #expect(answers.count == 1 && answers[0].content.count == search.finished?.trialCount)
        #expect(search.finished?.referenceCount == 20)
    }

    /// A later program goes on with a copy of a folder, and an earlier one is told of it.
    @Test(arguments: ["run-3", "run-4", "run-5"]) func aRunOfEachFormatMayGoOn(name: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: "\(Self.golden)/\(name)", toPath: folder.file("run"))
        let before = try read(name)
        _ = try RunFolder(existing: folder.file("run"))
        let after = try RunFolder(existing: folder.file("run")).onlyRun()
        #expect(before.records == after.records && before.facts == after.facts)
        #expect(try contents(of: folder.file("run")).formats == contents(of: "\(Self.golden)/run-5").formats)
    }

    @Test(arguments: [0, 6, 1 << 32 - 1]) func aRunOfAnotherFormatIsRefused(format: Int) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: "\(Self.golden)/run-5", toPath: folder.file("run"))
        let path = folder.file("run/trials.sqlite")
        try DatabaseQueue(path: path).write { database in
            if format == 0 { try database.execute(sql: "DELETE FROM grdb_migrations") }
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('run store \(format)')")
        }
        let stored = try contents(of: folder.file("run"))
        for open in [RunFolder.init(reading:), RunFolder.init(existing:), RunFolder.init(path:)] {
            let error = #expect(throws: StoreError.self) { _ = try open(folder.file("run")) }
            let refusal = format == 0 ? "was written by an earlier version of earshot" : Release.newer
            #expect(error?.description == "\(path): \(refusal)")
        }
        let kept = try contents(of: folder.file("run"))
        #expect(kept.formats == stored.formats && kept.schema == stored.schema && kept.rows == stored.rows)
    }

    /// What 0.1.0 did not store is left out of the verdict.
    @Test(arguments: [
        ("baseline-2-first", "run-3", ["placedRecall"]), ("baseline-2", "run-4", []),
        ("baseline-3", "run-5", []), ("baseline-4", "run-5", []),
    ])
    func aBaselineOfEachFormatGates(name: String, run: String, missing: [String]) throws {
        let rules = try GateRules(
            text: """
                rules:
                  - {measure: recall, noLossBeyond: 0.02}
                  - {measure: falseAcceptRate, noLossBeyond: 0.02}
                  - {measure: recallAtZeroFalseAccepts, noLossBeyond: 0.02}
                  - {measure: placedRecall, noLossBeyond: 0.02}
                  - {measure: offsetErrorSeconds, mayGrowBy: 1.25}
                  - {measure: frequencySkewError, mayGrowBy: 1.25}
                  - {measure: timeSkewError, mayGrowBy: 1.25}
                  - {answers: sameUnlessVersion}
                """, name: "rules")
        let (records, facts) = try read(run)
        let scored = try ScoredRun(records: records, facts: facts, folder: run)
        let baseline = try Baseline(path: "\(Self.golden)/\(name).json")
        let report = try Gate(rules).judge(scored, baseline: baseline)
        #expect(report.findings.count == 8 - missing.count)
        for finding in report.findings {
            // One trial has no interval, but its magnitudes are in both.
            let isPaired = finding.reason.hasSuffix("has values of too few recordings in both runs")
            #expect(finding.verdict == .pass || isPaired, "\(finding.rule): \(finding.reason)")
        }
        #expect(report.notes.count == missing.count)
        for (note, name) in zip(report.notes, missing) {
            #expect(
                note.hasPrefix("left out: ") && note.contains("the baseline holds no \(name); "), "\(note)")
        }
        #expect(try baseline.changes(to: scored) == [])
    }

    @Test func rulesOfTheFirstReleaseAreRead() throws {
        for name in ["accuracy", "standard"] {
            _ = try GateRules(path: "\(Self.golden)/rules-\(name).yaml")
        }
    }

    /// The schema, the formats, and each row with its JSON.
    private func contents(
        of run: String
    ) throws -> (formats: [String], schema: [String], rows: [[String]: NSObject]) {
        try DatabaseQueue(path: run + "/trials.sqlite").read { database in
            var rows: [[String]: NSObject] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT * FROM record") {
                let key = ["plan", "matcher", "kind", "trial", "position"].map {
                    "\(row[$0] as DatabaseValue)"
                }
                rows[key] = try JSONSerialization.jsonObject(with: row["content"] as Data) as? NSObject
            }
            func texts(_ query: String) throws -> [String] { try String.fetchAll(database, sql: query) }
            return (
                try texts("SELECT identifier FROM grdb_migrations ORDER BY 1"),
                try texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1"), rows
            )
        }
    }

    @Test func todaysProgramWritesTheNewestFormatOfARun() throws {
        let folder = try TemporaryFolder()
        let old = try RunFolder(reading: Self.golden + "/run-5").store
        let new = try RunFolder(path: folder.file("run")).store
        let key = try #require(try old.storedRuns().first).key
        func copy<Content: Codable>(_: Content.Type, _ kind: TrialStore.Kind) throws {
            for (trial, content) in try old.contents(Content.self, as: kind, in: key) {
                let position = (content as? TrialRecord)?.trial.index ?? 0
                try new.save(content, as: kind, of: trial, at: position, in: key)
            }
        }
        try copy(RunFacts.self, .beginning)
        try copy(TrialRecord.self, .trial)
        try copy(TrialRecord.Latency.self, .latency)
        try copy(RunFacts.self, .facts)
        let (written, golden) = try (contents(of: folder.file("run")), contents(of: Self.golden + "/run-5"))
        #expect(written.formats == golden.formats && written.schema == golden.schema)
        #expect(written.rows == golden.rows)
    }

    @Test func todaysProgramWritesTheNewestFormatOfABaseline() throws {
        let folder = try TemporaryFolder()
        let path = Self.golden + "/baseline-\(Baseline.schemaVersion).json"
        try Baseline(path: path).write(to: folder.file("baseline.json"))
        #expect(
            try String(contentsOfFile: folder.file("baseline.json"), encoding: .utf8)
                == String(contentsOfFile: path, encoding: .utf8))
    }

    /// JSON has no key of a value that is nil, so the properties are listed too.
    ///
    /// `EARSHOT_RECORD=1` writes the list.
    @Test func theNewestFormatsHaveTheListedProperties() throws {
        let (records, facts) = try read("run-5")
        let baseline = try Baseline(path: Self.golden + "/baseline-\(Baseline.schemaVersion).json")
        var names: Set<String> = []
        list(facts, as: "facts", in: &names)
        list(records, as: "record", in: &names)
        list(baseline, as: "baseline", in: &names)
        let text = names.sorted().map { $0 + "\n" }.joined()
        let path = Self.golden + "/properties.txt"
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    /// Adds the names of all properties below `value`, of what is nil only its own.
    private func list(_ value: Any, as name: String, in names: inout Set<String>) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .set, .tuple:
            for child in mirror.children { list(child.value, as: name, in: &names) }
        case .dictionary:
            for child in mirror.children {
                for part in Mirror(reflecting: child.value).children.dropFirst() {
                    list(part.value, as: name + ".*", in: &names)
                }
            }
        case .struct where !(value is DegradationChain):
            for child in mirror.children {
                let own = "\(name).\(child.label ?? "")"
                names.insert(own)
                list(child.value, as: own, in: &names)
            }
        default: break
        }
    }
}
