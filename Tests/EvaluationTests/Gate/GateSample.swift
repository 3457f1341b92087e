import Evaluation
import Matchers

/// Records of a run with chosen outcomes, cell by cell.
struct GateSample {
    /// The outcomes of the positives of each severity: `c` correct, `2` with a wrong second answer, `m` missed, `w` wrong
    /// reference.
    var positives: [(severity: String, outcomes: String)]
    /// The outcomes of the negatives: `r` rejected, `f` false accept, `F` one with the score of a right answer, `x` error.
    var negatives = ""
    /// Nil states no position.
    var offsetErrorSeconds: Double? = 0.001
    /// Of answered skews; nil states none.
    var skewError: Double? = 0
    /// Nil states no free fit.
    var freeSkewError: Double?
    var trialsPerRecording = 1
    var seed: UInt64 = 1
    var version = "1"
    var answersDigest = "00"
    /// Of right answers; nil states none.
    var confidence: Double?
    /// The digest of each query, positives first; nil as in a run of an earlier version.
    var digests: [String]?
    /// The list of the queries, of recorded ones.
    var recorded: RunRequest.Recorded?
    /// By the names of cells.
    var queryDigests: [String: String] = [:]

    var facts: RunFacts {
        var facts = RunFacts(
            Provenance(
                matcher: .init(name: "chosen", version: version, settings: [:], digest: answersDigest),
                planName: "sample", planDigest: "p\(seed)", planPath: "sample.yaml",
                request: RunRequest(recorded: recorded),
                corpusName: "none", corpusDigest: "c", half: .test, seed: seed, commit: "none",
                machine: .init(
                    processor: "any", logicalCores: 1, memoryBytes: 1, operatingSystem: "any", kernel: "any"),
                toolVersions: [:], startedAt: ""))
        facts.queryDigests = queryDigests
        facts.trialDigests = digests
        return facts
    }

    var records: [TrialRecord] {
        var records: [TrialRecord] = []
        for (severity, outcomes) in positives {
            for (number, outcome) in outcomes.enumerated() {
                records.append(
                    record(
                        "\(severity)/p\(number)", records.count, severity, number, outcome, isPositive: true))
            }
        }
        for (number, outcome) in negatives.enumerated() {
            records.append(record("n\(number)", records.count, "none", number, outcome, isPositive: false))
        }
        return records
    }

    func scored() throws -> ScoredRun { try ScoredRun(records: records, facts: facts, folder: "sample") }

    private func record(
        _ id: String, _ index: Int, _ severity: String, _ number: Int, _ outcome: Character, isPositive: Bool
    ) -> TrialRecord {
        let truth = Truth(
            offsetSeconds: 10, frequencySkew: 0, timeSkew: 0, skewChangePerSecond: 0)
        let candidate: Candidate? =
            switch outcome {
            case "c", "2":
                Candidate(
                    referenceID: "right", offsetSeconds: offsetErrorSeconds.map { 10 + $0 },
                    frequencySkew: skewError,
                    timeSkew: 0,
                    score: 9, confidence: confidence, isAccepted: true)
            case "F": Candidate(referenceID: "wrong", offsetSeconds: 0, score: 9, isAccepted: true)
            case "w", "f": Candidate(referenceID: "wrong", offsetSeconds: 0, score: 4, isAccepted: true)
            default: nil
            }
        let recording = "recording \(number / trialsPerRecording)"
        var record = TrialStoreTests.record(
            id, index, isPositive ? "noise" : "negative", severity, isPositive: isPositive,
            source: recording, references: ["right"], truth: truth)
        record.query?.digest = id
        record.candidates = candidate.map { [$0] } ?? []
        if outcome == "c" { record.candidates[0].freeFrequencySkew = freeSkewError }
        if outcome == "x" { record.error = "the matcher died" }
        if outcome == "2" {
            record.candidates.append(
                Candidate(referenceID: "wrong", offsetSeconds: 0, score: 3, isAccepted: true))
        }
        return record
    }
}
