import Corpora
import Evaluation
import Matchers

/// The table of `earshot evidence`: what a matcher measured of each place that it examined.
package struct EvidenceTable: Sendable {
    /// One measurement of one place, for the query of a trial.
    struct Row {
        let record: TrialRecord
        let half: CorpusHalf?
        let evidence: CandidateEvidence
        /// The matcher, with its version.
        let matcher: String
    }

    private let half: CorpusHalf?
    private let matcher: String

    /// - Parameter half: The half of the corpus that queries are cut from; nil for recorded queries.
    package init(half: CorpusHalf?, matcher: String) {
        self.half = half
        self.matcher = matcher
    }

    /// The rows of a trial as CSV.
    package func csv(
        _ record: TrialRecord, _ values: [MatcherPowers.Examination.Value], _ evidence: [CandidateEvidence]
    ) -> String {
        Self.table(values).csvRows(
            evidence.map { Row(record: record, half: half, evidence: $0, matcher: matcher) })
    }

    package static func head(_ values: [MatcherPowers.Examination.Value]) -> String { table(values).csvHead }

    static func table(_ values: [MatcherPowers.Examination.Value]) -> Table<Row> {
        typealias Column = Table<Row>.Column
        let query = [
            Column("matcher", "matcher and its version", text: { $0.matcher }),
            Column("trial", "name of the trial, unique in its plan", text: { $0.record.trial.id }),
            Column("degradation", "family of the plan", text: { $0.record.trial.cell.degradation }),
            Column("severity", "strength as printed", text: { $0.record.trial.cell.severity }),
            Column("lengthSeconds", "requested query length", number: { $0.record.trial.cell.lengthSeconds }),
            Column(
                "kind", "`positive` (in an enrolled reference) or `negative`",
                text: { $0.record.trial.isPositive ? "positive" : "negative" }),
            Column(
                "half", "half of the corpus: `tuning` or `test`; empty for recorded queries",
                text: { $0.half?.rawValue }),
            Column(
                "rung", "step of relatedness to the references; empty without a ladder",
                text: { $0.record.trial.cell.rung?.rawValue }),
            Column("source", "recording that the query was cut from", text: { $0.record.trial.source }),
            Column(
                "sourceClass", "its equivalence class: queries of one class are not independent",
                text: { $0.record.sourceClass }),
            Column("queryDigest", "SHA-256 of the query's samples", text: { $0.record.query?.digest }),
        ]
        let place = [
            Column("reference", "reference of the place", text: { $0.evidence.candidate.referenceID }),
            Column(
                "offsetSeconds", "reference time at the query's first sample", digits: 4,
                number: { $0.evidence.candidate.offsetSeconds }),
            Column(
                "frequencySkew", "frequency of the query over that of the reference, minus 1", digits: 6,
                number: { $0.evidence.candidate.frequencySkew }),
            Column(
                "timeSkew", "reference seconds per query second, minus 1", digits: 6,
                number: { $0.evidence.candidate.timeSkew }),
            Column(
                "truth",
                "`right` (the recording, at its place if that is known), `elsewhere` (the recording at another place), `permitted` (another mix), `related` (the music in another recording) or `other`",
                text: { CandidateTruth($0.evidence.candidate, in: $0.record).rawValue }),
            Column(
                "variant", "which measurement of the place, for the built-in matcher the bands",
                text: { $0.evidence.variant }),
            Column(
                "isChosen", "whether the score is that of this measurement", flag: { $0.evidence.isChosen }),
            Column("score", "score of the place", digits: 4, number: { $0.evidence.candidate.score }),
        ]
        let measured = values.indices.map { index in
            Column(
                values[index].name, values[index].meaning, digits: 5,
                number: { $0.evidence.values[index] })
        }
        return Table(query + place + measured)
    }
    /// What an article says of its columns, for a matcher that measures `values`.
    package static func described(_ values: [MatcherPowers.Examination.Value]) -> RunTable {
        RunTable(
            "evidence.csv",
            "One row for each measurement of each place that a search examined, written by `earshot evidence`.",
            table(values).columns, of: { _ in [] })
    }
}
