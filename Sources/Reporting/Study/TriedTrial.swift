import Evaluation

/// A trial that was put to the matcher once, as lines for a terminal.
package enum TriedTrial {
    /// The query, the right answer, the best candidates and the outcome.
    package static func text(_ record: TrialRecord) -> String {
        let start = record.sourceStartSeconds.map { " at \($0) s" } ?? ""
        var lines = [
            "query     \(record.trial.source)\(start), \(NumberText.plain(record.trial.cell.lengthSeconds)) s long",
            "chain     \(record.trial.chain.json)",
            "expected  \(record.trial.isPositive ? record.truthReferences.joined(separator: ", ") : "no reference")",
        ]
        if let offset = record.truth?.offsetSeconds {
            lines.append("          at \(NumberText.fixed(offset, digits: 3)) s")
        }
        for candidate in record.candidates.prefix(3) {
            let place = candidate.offsetSeconds.map { " at \(NumberText.fixed($0, digits: 3)) s" } ?? ""
            lines.append(
                "\(candidate.isAccepted ? "claimed " : "below   ")  \(candidate.referenceID)\(place), score "
                    + NumberText.fixed(candidate.score, digits: 2))
        }
        for candidate in record.related ?? [] { lines.append("related   \(candidate.referenceID)") }
        if record.candidates.isEmpty { lines.append("answer    no candidate at all") }
        if let error = record.error {
            lines.append("error     \(error)")
        } else if let outcome = JudgedTrial(record, threshold: nil).outcome {
            lines.append("outcome   \(outcome.title)")
        }
        return lines.joined(separator: "\n")
    }
}
