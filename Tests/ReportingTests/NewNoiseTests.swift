import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Reporting
import TestSupport
import Testing

/// A noise that no list names, with a ratio under a name of its own.
private struct Hiss: Degradation {
    static let name = "hiss"
    static let parameters = [
        Parameter(
            "ratioDecibels", .number(-40...40, unit: "dB"), milder: .up(to: 40, by: .difference(1)),
            isSignalToNoiseRatio: true),
        Parameter("tone", .choice(["dark", "bright"]), ifAbsent: .value("dark")), .seed,
    ]

    var ratioDecibels: Double
    var tone: String
    var seed: UInt64

    func apply(to clip: inout Clip, material: any Material) throws { try validate() }
}

/// A degradation states its own facts: what is new needs no line in a report.
@Suite struct NewNoiseTests {
    private static let plan = """
        name: hiss
        corpus: synthetic
        seed: 4
        positives: 24
        negatives: 3
        lengthSeconds: 5
        families:
          - name: tape
            unit: dB
            severities: [10, 5, 0, -5, -10]
            chain: [{hiss: {ratioDecibels: $severity, tone: bright}}]
          - name: tape in a car
            chain: [{speed: {percent: 2}}, {hiss: {ratioDecibels: 3}}]
        """

    /// The records of the plan as a store gives them back; recordings are lost below 0 dB, give or take 8 dB.
    private static func records() throws -> [TrialRecord] {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let plan = try Plan(
            file: PlanFile(text: plan, name: "hiss.yaml"), corpus: corpus,
            material: CorpusMaterial(library: library, music: corpus))
        let tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.file("trials.sqlite"))
        let run = TrialStore.RunKey(plan: plan.digest, matcher: "m")
        for trial in plan.trials {
            let query = RenderedQuery(
                Clip(AudioBuffer(silentFrames: 1, sampleRate: 44_100, channelCount: 1)))
            var record = try TrialRecord(trial, query: query, tracks: tracks)
            let limit = Double(StableHash.of(trial.source ?? "") % 17) - 8
            if let reference = record.truthReferences.first, trial.cell.severityValue ?? 3 > limit {
                record.candidates = [
                    Candidate(
                        referenceID: reference, offsetSeconds: 0, score: 50, confidence: 1, isAccepted: true)
                ]
            }
            try store.save(record, of: run)
        }
        return try store.records(of: run)
    }

    @Test func aNewNoiseHasACurveItsSNR50AndItsRows() throws {
        try AnyDegradation.$kinds.withValue(AnyDegradation.kinds + [Hiss.self]) {
            let records = try Self.records()
            #expect(records.allSatisfy { $0.trial.chain.last(Hiss.self) != nil })
            let model = ReportModel(records: records, facts: SampleRun.facts)
            #expect(model.cells.map(\.group) == Array(repeating: .noise, count: 5) + [.combination])

            let curve = try #require(model.noiseCurves.first)
            #expect(model.noiseCurves.count == 1)
            #expect(curve.noise == "hiss, tone bright")
            #expect(curve.recall.points.map(\.level) == [-10, -5, 0, 5, 10])
            guard case .within(let snr50)? = curve.crossings.first else {
                Issue.record("no SNR50: \(curve.crossings)")
                return
            }
            #expect((-8...8).contains(snr50.value))

            let report = try WrittenReport(model)
            let rows = ReadTable(report.noise).rows
            #expect(rows.map { $0["noise"] } == Array(repeating: "hiss, tone bright", count: 5))
            #expect(rows.map { $0["snrDecibels"] } == ["-10.0", "-5.0", "0.0", "5.0", "10.0"])
            #expect(rows.allSatisfy { $0["snrAt50"].flatMap(Double.init) == snr50.value })
            #expect(report.page.contains("hiss, tone bright"))
            #expect(report.trials.contains("\"\"hiss\"\":{\"\"ratioDecibels\"\":-10"))
        }
    }

    @Test func aStoreWithADegradationThatIsNotThereIsRefused() throws {
        var record = SampleRun.record(
            "p", 0, Cell(degradation: "tape", severity: "", severityValue: nil, lengthSeconds: 5),
            isPositive: false, source: "a.ogg", references: [],
            truth: Truth(offsetSeconds: 0, frequencySkew: 0, timeSkew: 0, skewChangePerSecond: 0))
        record.trial.chain = DegradationChain(
            steps: [AnyDegradation(Hiss(ratioDecibels: 0, tone: "dark", seed: 1))])
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.file("trials.sqlite"))
        let run = TrialStore.RunKey(plan: "p", matcher: "m")
        try store.save(record, of: run)
        let error = #expect(throws: StoreError.self) { try store.records(of: run) }
        #expect(error?.kind == .earlierVersion)
        #expect(error?.description.contains("no degradation is called \"hiss\"") == true)
    }
}
