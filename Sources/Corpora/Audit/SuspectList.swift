import Foundation

/// Pairs of recordings of which nobody knows yet whether they share audio, with what a person said about them.
///
/// Kept as YAML beside the recipe, `NAME.suspects`. An audit writes it; a person listens and changes `judgement` from
/// `open` to `same` or `different`, which later audits leave as it is. What is `different` counts as settled; all else
/// makes the truth of some trials doubtful, so that reports score without them too.
package struct SuspectList: Sendable, Equatable {
    package enum Judgement: String, Sendable, CaseIterable {
        case open
        /// They are the same sound; the corpus should be locked anew with them joined.
        case same
        case different
    }

    /// Two recordings and where they may be the same.
    package struct Entry: Sendable, Equatable {
        package var judgement: Judgement
        package var kind: AuditFinding.Kind
        package var verdict: AuditFinding.Verdict
        package var first: String
        package var second: String
        package var firstSeconds: Double
        package var secondSeconds: Double
        package var lengthSeconds: Double
        /// The correlation of the waveforms, −1…1.
        package var correlation: Double
        package var note: String

        package init(_ finding: AuditFinding) {
            judgement = .open
            kind = finding.kind
            verdict = finding.verdict
            first = finding.first
            second = finding.second
            firstSeconds = Self.rounded(finding.firstSeconds)
            secondSeconds = Self.rounded(finding.secondSeconds)
            lengthSeconds = Self.rounded(finding.lengthSeconds)
            correlation = Self.rounded(finding.correlation)
            note = ""
        }

        private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

        /// Whether both are about the same place of the same recordings.
        func isSamePlace(as other: Entry) -> Bool {
            func overlaps(_ one: Double, _ two: Double) -> Bool {
                one < two + max(1, other.lengthSeconds) && two < one + max(1, lengthSeconds)
            }
            return first == other.first && second == other.second
                && overlaps(firstSeconds, other.firstSeconds)
                && overlaps(secondSeconds, other.secondSeconds)
        }
    }

    package var entries: [Entry]

    package init(entries: [Entry] = []) { self.entries = entries }

    /// The list after another audit: what it found and no lock knows, and what a person has judged before.
    package func updated(with findings: [AuditFinding]) -> SuspectList {
        let found = findings.filter { $0.kind != .repeat && !$0.isKnown }.map { finding in
            var entry = Entry(finding)
            let judged = entries.filter { $0.judgement != .open }
            if let before = judged.first(where: { $0.isSamePlace(as: entry) }) {
                entry.judgement = before.judgement
                entry.note = before.note
            }
            return entry
        }
        let kept = entries.filter { entry in
            entry.judgement != .open && !found.contains { $0.isSamePlace(as: entry) }
        }
        return SuspectList(
            entries: (found + kept).sorted {
                ($0.first, $0.second, $0.firstSeconds, $0.secondSeconds) < (
                    $1.first, $1.second, $1.firstSeconds, $1.secondSeconds
                )
            })
    }
}
