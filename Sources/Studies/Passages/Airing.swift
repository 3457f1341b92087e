import AudioCore
import Corpora
import Matchers
import Metrics

/// A reference that a recording contains from one time to another: the truth about one passage.
package struct Airing: Codable, Hashable, Sendable {
    package var referenceID: String
    package var kind: PassageKind
    /// The stretch of the recording, in seconds; in a crossfade it begins or ends where both are equally loud.
    package var queryRange: ClosedRange<Double>
    /// The stretch of the reference, in seconds.
    package var referenceRange: ClosedRange<Double>
    /// f_query / f_reference − 1.
    package var frequencySkew: Double
    /// Reference seconds per query second − 1.
    package var timeSkew: Double
    /// The widths of the crossfades at both ends, in seconds.
    package var fadeInSeconds: Double
    package var fadeOutSeconds: Double
    /// The stretch of the recording with a voice over it, in seconds.
    package var voiceOver: ClosedRange<Double>?
    /// The stretch that its twin also contains, in seconds of the recording.
    package var shared: Shared?

    package struct Shared: Codable, Hashable, Sendable {
        package var referenceID: String
        package var queryRange: ClosedRange<Double>
    }

    package var lengthSeconds: Double { queryRange.upperBound - queryRange.lowerBound }

    package var passage: Passage {
        Passage(
            referenceID: referenceID, queryRange: queryRange, referenceRange: referenceRange,
            frequencySkew: frequencySkew, timeSkew: timeSkew, score: 1, confidence: 1)
    }

    package var span: LabelledSpan { LabelledSpan(referenceID, queryRange) }
}

extension Airing.Shared {
    package var span: LabelledSpan { LabelledSpan(referenceID, queryRange) }
}

extension LabelledSpan {
    init(_ label: String, _ range: ClosedRange<Double>) {
        self.init(label: label, begin: range.lowerBound, end: range.upperBound)
    }
}

extension PassageOutcome {
    /// Scores answers against a table of truth; the recording ends with the last passage of both.
    ///
    /// What the table does not state is 0, and a kind that it does not name is a song. Several annotators give two truths.
    /// One is what all of them mark; what only some of them mark may be found then, and need not be. The other is what most of
    /// them mark.
    ///
    /// - Returns: an outcome for each truth, with its name; the only one has none.
    package static func scored(
        _ answers: PassageList, against truth: PassageList
    ) -> [(truth: String, outcome: PassageOutcome)] {
        let end = (answers.rows + truth.rows).map(\.seconds.upperBound).max() ?? 0
        func outcome(_ airings: [Airing], permitted: [PassageList.Row]) -> PassageOutcome {
            var outcome = PassageOutcome(airings: airings, durationSeconds: end, answers: answers)
            outcome.permitted = permitted.map {
                Airing.Shared(referenceID: $0.reference, queryRange: $0.seconds)
            }
            return outcome
        }
        let required = truth.rows.filter(\.isRequired)
        let optional = truth.rows.filter { !$0.isRequired }
        let marked = Dictionary(grouping: required, by: \.annotator).values
        let count = max(1, truth.annotators.count)
        guard count > 1 else { return [("", outcome(required.map(Airing.init), permitted: optional))] }
        func agreed(by least: Int) -> [Airing] {
            Annotations.agreed(marked.map { $0.map(\.span) }, by: least).map { span in
                let kind = required.first { $0.reference == span.label && $0.span.overlap(span) > 0 }?.kind
                return Airing(span, kind: kind)
            }
        }
        return [
            ("unanimous truth of \(count) annotators", outcome(agreed(by: count), permitted: truth.rows)),
            (
                "majority truth of \(count) annotators",
                outcome(agreed(by: Annotations.majority(of: count)), permitted: optional)
            ),
        ]
    }
}

extension Airing {
    fileprivate init(_ row: PassageList.Row) { self.init(row.span, kind: row.kind) }

    fileprivate init(_ span: LabelledSpan, kind: String?) {
        self.init(
            referenceID: span.label, kind: kind.flatMap(PassageKind.init) ?? .song,
            queryRange: span.begin...span.end, referenceRange: 0...span.length, frequencySkew: 0, timeSkew: 0,
            fadeInSeconds: 0, fadeOutSeconds: 0)
    }
}

extension PassageList.Row {
    fileprivate var span: LabelledSpan { LabelledSpan(reference, seconds) }
}
