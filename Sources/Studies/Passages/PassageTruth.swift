import Corpora
import Metrics
import SystemIO

/// What a table says of a recording: its airings, its length and its catalog.
///
/// Several annotators give two truths. One is what all of them mark; what only some of them mark may be found then, and need not
/// be. The other is what most of them mark.
package struct PassageTruth: Sendable {
    /// How many of several annotators a truth takes.
    package enum Agreement: String, Sendable {
        case unanimous, majority
    }

    package let agreement: Agreement?
    package let airings: [Airing]
    /// Passages that may be found and need not be, besides what airings share.
    package let permitted: [Airing.Shared]
    package let durationSeconds: Double
    package let catalog: [String]?
    private let annotatorCount: Int
    private let isLengthStated: Bool

    /// What it is called beside another truth; empty for the only one.
    package var name: String {
        agreement.map { "\($0.rawValue) truth of \(annotatorCount) annotators" } ?? ""
    }

    /// What a reader must know of the figures.
    package var notes: [String] {
        let length =
            "The truth does not state the length of the recording, so that is taken to end with the last passage of the "
            + "truth, at \(formatNumber(durationSeconds)) s."
        return (isLengthStated ? [] : [length]) + (name.isEmpty ? [] : ["Scored against the \(name)."])
    }

    /// The truths of a table.
    ///
    /// Numbers that it does not state are 0. A passage without a kind is a song.
    ///
    /// - Parameter recordingSeconds: the length of the recording, if the table does not state it. Without either the recording
    ///   ends with the last passage of the table. Answers never decide it.
    /// - Throws: ``ConfigurationError`` with line and column for an unknown kind, or for a passage behind the end.
    package static func truths(of table: PassageList, recordingSeconds: Double? = nil) throws -> [Self] {
        let stated = table.recordingSeconds ?? recordingSeconds
        if let stated { try table.requireEnds(upTo: stated, of: stated) }
        let seconds = stated ?? table.rows.map(\.seconds.upperBound).max() ?? 0
        let optional = table.rows.filter { !$0.isRequired }
        let beginning = Dictionary(grouping: optional, by: \.seconds.lowerBound)
        let required = try table.rows.filter(\.isRequired).map { row in
            let twin = beginning[row.seconds.lowerBound]?.first { $0.isTwin(of: row) }
            return (row: row, airing: try Airing(row, shared: twin))
        }
        let count = max(1, table.annotators.count)
        func truth(_ agreement: Agreement?, _ airings: [Airing], permitted rows: [PassageList.Row]) -> Self {
            let shared = Set(airings.compactMap(\.shared))
            return Self(
                agreement: agreement, airings: airings,
                permitted: rows.map { Airing.Shared(referenceID: $0.reference, queryRange: $0.seconds) }
                    .filter { !shared.contains($0) },
                durationSeconds: seconds, catalog: table.catalog, annotatorCount: count,
                isLengthStated: stated != nil)
        }
        guard count > 1 else { return [truth(nil, required.map(\.airing), permitted: optional)] }
        let marked = Dictionary(grouping: required, by: \.row.annotator).values
        func agreed(by least: Int) -> [Airing] {
            Annotations.agreed(marked.map { $0.map(\.airing.span) }, by: least).compactMap { span in
                var airing = required.first {
                    $0.airing.referenceID == span.label && $0.airing.span.overlap(span) > 0
                }?.airing
                airing?.queryRange = span.begin...span.end
                return airing
            }
        }
        return [
            truth(.unanimous, agreed(by: count), permitted: table.rows),
            truth(.majority, agreed(by: Annotations.majority(of: count)), permitted: optional),
        ]
    }

    /// The outcome of answers.
    ///
    /// - Throws: ``ConfigurationError`` with line and column for an answer behind the end of the recording, or for a reference that
    ///   is not in its catalog.
    package func outcome(of answers: PassageList) throws -> PassageOutcome {
        var outcome = try PassageOutcome(
            airings: airings, durationSeconds: durationSeconds, catalog: catalog, answers: answers,
            remedy: isLengthStated ? "" : ". --recording-seconds states its length")
        outcome.permitted = permitted
        return outcome
    }
}

extension Airing {
    /// - Parameter shared: the row of the stretch that its twin also contains.
    fileprivate init(_ row: PassageList.Row, shared: PassageList.Row?) throws {
        var kind = PassageKind.song
        if let name = row.kind {
            guard let known = PassageKind(rawValue: name) else {
                let kinds = PassageKind.allCases.map(\.rawValue)
                throw row.error(
                    "kind",
                    "expected \(kinds.joined(separator: ", ")), found \"\(name.prefix(40))\""
                        + kinds.suggestion(for: name))
            }
            kind = known
        }
        let length = row.seconds.upperBound - row.seconds.lowerBound
        self.init(
            referenceID: row.reference, kind: kind, queryRange: row.seconds,
            referenceRange: row.referenceSeconds ?? 0...length, frequencySkew: row.frequencySkew ?? 0,
            timeSkew: row.timeSkew ?? 0, fadeInSeconds: row.fadeInSeconds ?? 0,
            fadeOutSeconds: row.fadeOutSeconds ?? 0, voiceOver: row.voiceOver,
            shared: shared.map { Shared(referenceID: $0.reference, queryRange: $0.seconds) })
    }
}

extension PassageList.Row {
    /// Whether this row, which begins with an airing, is what its twin has in common with it: the same place of another reference.
    fileprivate func isTwin(of airing: Self) -> Bool {
        guard let own = referenceSeconds, let other = airing.referenceSeconds else { return false }
        return reference != airing.reference && annotator == airing.annotator
            && own.lowerBound == other.lowerBound
    }
}
