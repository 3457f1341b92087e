import AudioCore
import Corpora
import Degradations
import Evaluation
import EvaluationTestSupport
import Foundation
import MatcherAdapters
import Studies
import TestSupport
import Testing

@Suite struct FrontierRunTests {
    static let planText = """
        name: f
        corpus: synthetic
        seed: 9
        queries: 3
        lengthSeconds: 3
        coarse: 3
        axes:
          - name: white noise
            unit: dB
            severity: {from: 0, to: -24, resolution: 3}
            chain: [{noise: {colour: white, snrDecibels: $severity}}]
          - name: query length
            unit: s
            severity: {from: 3, to: 0.3, resolution: 0.5, scale: logarithmic}
            lengthSeconds: $severity
        """

    private func plan(_ text: String = planText) throws -> (FrontierPlan, CorpusMaterial) {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let file = try FrontierFile(text: text, name: "f.yaml")
        return (try FrontierPlan(file: file, corpus: corpus, material: material), material)
    }

    private func result(
        _ plan: FrontierPlan, _ material: CorpusMaterial, _ name: String,
        _ fixture: StudyFixture, jobs: Int = 2
    ) throws -> FrontierResult {
        let contestant = try #require(Contestants.named(name))
        let key = TrialStore.RunKey(plan: plan.base.digest, matcher: name)
        let facts = try RunFacts(
            plan: plan.base, matcher: .init(contestant, digest: key.matcher), jobs: jobs,
            request: RunRequest(), notes: [])
        let search = FrontierRun(
            plan: plan, material: material, contestant: contestant, facts: facts)
        return try search.run(in: fixture.run(of: search, matcher: name, jobs: jobs))
    }

    @Test func aChangedFileOfAnAxisMakesAnotherSearch() throws {
        let folder = try TemporaryFolder()
        let response = folder.file("response.wav")
        let text = Self.planText.replacing(
            "chain: [{noise", with: "chain: [{impulseResponse: {path: \(response)}}, {noise")
        try Data("one".utf8).write(to: URL(fileURLWithPath: response))
        let before = try plan(text).0.base.digest
        #expect(try plan(text).0.base.digest == before)
        try Data("two".utf8).write(to: URL(fileURLWithPath: response))
        #expect(try plan(text).0.base.digest != before)
    }

    @Test(arguments: [
        ("null", FrontierFinding.Status.alwaysLost), ("oracle", FrontierFinding.Status.neverLost),
    ])
    func controlsAreLostAlwaysOrNever(_ name: String, _ status: FrontierFinding.Status) throws {
        let (plan, material) = try plan()
        let result = try result(plan, material, name, StudyFixture())
        #expect(result.limits.count == 6)
        #expect(result.limits.allSatisfy { $0.finding.status == status && $0.finding.answers.count == 3 })
        #expect(result.runs == 18 && result.gridRuns == 3 * (9 + 7))
    }

    @Test func aSearchIsTheSameOnOneThreadAndAfterAResume() throws {
        let (plan, material) = try plan()
        func records(_ result: FrontierResult) -> [[Int: TrialRecord]] {
            result.limits.map { $0.trials.mapValues(\.record) }
        }
        let fixture = try StudyFixture()
        let whole = try result(plan, material, "earshot", fixture)
        for count in [2, 0] {
            try fixture.forgetOutcomes(after: count)
            let resumed = try result(plan, material, "earshot", fixture, jobs: 1)
            #expect(resumed.limits.map(\.finding) == whole.limits.map(\.finding))
            #expect(records(resumed) == records(whole))
        }
        #expect(whole.limits.contains { $0.finding.status == .bracketed })
        // Every record of a query begins at the same place, and there are no other records.
        #expect(whole.facts.trialCount == whole.runs)
        for limit in whole.limits {
            #expect(Set(limit.trials.values.compactMap(\.record.sourceStartSeconds)).count == 1)
        }
        let starts = Dictionary(grouping: whole.limits, by: \.query).mapValues { Set($0.map(\.startSeconds)) }
        #expect(starts.values.allSatisfy { $0.count == 1 })
    }

    @Test func alongAnAxisOnlyTheSeverityChanges() throws {
        let (plan, material) = try plan()
        let mild = try #require(try plan.trial(named: "white-noise/0-db/3s/q001"))
        var worse = try #require(try plan.trial(named: "white-noise/-12-db/3s/q001"))
        #expect(mild.source == worse.source && mild.id != worse.id && mild.index != worse.index)
        let seeds = [mild, worse].map { ($0.chain.steps[0].value as? Noise)?.seed }
        #expect(seeds[0] != nil && seeds[0] == seeds[1])
        let track = try #require(plan.base.corpus.tracks.first { $0.id == mild.source })
        let recording = try plan.base.corpus.audio(of: track)
        let start = try plan.start(of: mild, in: recording)
        #expect(try plan.start(of: worse, in: recording) == start)
        worse.startFrame = start
        let query = try worse.render(from: recording, material: material)
        #expect(query.truth.offsetSeconds == Double(start) / Double(recording.sampleRate))
        #expect(try plan.trial(named: "white-noise/1-db/3s/q001") == nil)
        worse.startFrame = recording.frameCount
        #expect(throws: DegradationError.self) { try worse.render(from: recording, material: material) }
    }

    @Test func aFormatThatIsNotOfferedIsNamedWithItsLine() throws {
        let text =
            Self.planText + "\n" + """
                  - name: codec
                    severity: [mp3-64k, wav-gsm610]
                    chain: [{resample: {sampleRateHertz: 37800}}, {format: {encoding: $severity, exactRate: true}}]
                """
        var (plan, material) = try plan(text)
        var file = plan.file
        try file.override(queries: 1, axes: ["codec"])
        plan = try FrontierPlan(file: file, corpus: plan.base.corpus, material: material)
        let error = try #require(throws: ConfigurationError.self) {
            try result(plan, material, "null", StudyFixture())
        }
        #expect(error.line == 16 && error.description.contains("does not take 37800 Hz"))
    }

    @Test func aListLosesQueriesAlongAnAxis() throws {
        let bench = try RecordedFolder()
        let recorded = try bench.recorded(
            "query,reference,lengthSeconds\nq0,r0,4\nq1,r1,4\nstranger,,4\nq1,r1,2\n")
        let file = try FrontierFile(text: Self.planText, name: "f.yaml")
        let material = try CorpusMaterial(library: bench.own.library, music: nil)
        let plan = try FrontierPlan(file: file, recorded: recorded, material: material)
        // Negatives and short queries are left out.
        #expect(plan.base.trials.compactMap(\.recorded?.name) == ["q0", "q1"])
        let facts = try RunFacts(
            plan: plan.base, matcher: .init(Contestants.earshot, digest: "m"), jobs: 2, request: RunRequest(),
            notes: [])
        let search = FrontierRun(
            plan: plan, material: material, contestant: Contestants.earshot, facts: facts)
        let result = try search.run(in: StudyFixture().run(of: search, matcher: "earshot", jobs: 2))
        #expect(result.limits.count == 4)
        let frames = Set(
            result.limits.flatMap { $0.trials.values.compactMap(\.record.query?.frameCount) })
        #expect(frames.contains(3 * 44_100) && frames.count > 2)
        for limit in result.limits {
            #expect(limit.finding.lastFound != nil, "\(limit.query) is lost at its mildest")
            #expect(limit.trials.values.allSatisfy { $0.record.error == nil })
            #expect(limit.trials.values.allSatisfy { $0.strictOffsetErrorSeconds == nil })
        }
        #expect(result.limits.contains { $0.finding.status == .bracketed })
        // Other axes make another search of the same queries.
        var other = file
        try other.override(axes: ["query length"])
        #expect(
            try FrontierPlan(file: other, recorded: recorded, material: material).digest != plan.digest)
        let short = try bench.recorded("query,reference,lengthSeconds\nq0,r0,2\n")
        let error = #expect(throws: ConfigurationError.self) {
            try FrontierPlan(file: file, recorded: short, material: material)
        }
        #expect(error?.message.contains("no positive is 3 s long") == true)
    }
}
