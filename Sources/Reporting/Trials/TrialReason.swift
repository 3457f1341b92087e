import Evaluation

/// The reason for the outcome of a trial, in a sentence or two.
struct TrialReason {
    /// The score from which an answer is claimed; nil when it is not known.
    let threshold: Double?

    init(_ model: ReportModel) { threshold = model.facts.scoreThreshold ?? model.shown.threshold }

    /// A correct trial has a reason too.
    func text(_ trial: JudgedTrial) -> String {
        let record = trial.record
        guard record.isOffered else { return "Nothing was run: \(record.error ?? "")" }
        if let disturbance = record.notMeasured { return "Not measured: \(disturbance)" }
        if let error = record.error { return "Error: \(error)" }
        switch trial.outcome {
        case .falseAccept: return "Claimed\(margin(trial)), but no reference holds the query."
        case .wrongReference: return wrong(trial)
        case .correct: return right(trial)
        case .correctReject:
            guard let best = record.candidates.first else { return "Correct: no candidate." }
            return "Correct: nothing was claimed. The best candidate scored \(below(best.score))."
        case .missed: return missed(trial)
        case .negativeError, nil: return ""
        }
    }

    private func right(_ trial: JudgedTrial) -> String {
        switch trial.place {
        case .right?: "The right reference was claimed at the right place."
        case .repetition?: "The right reference was claimed at a passage that sounds the same."
        case .other?: "The right reference was claimed at another place."
        case nil: "A right reference was claimed. Its place is not judged."
        }
    }

    private func wrong(_ trial: JudgedTrial) -> String {
        let others = trial.record.candidates.count
        guard let rank = trial.rightRank, let claim = trial.claim else {
            return
                "Another reference was claimed\(margin(trial)). The right one is not among the "
                + "\(others.text("candidate"))."
        }
        let lead = claim.score - trial.record.candidates[rank - 1].score
        let words =
            lead > 0 ? "scored \(NumberText.fixed(lead, digits: 2)) higher" : "is ranked above the right one"
        return "Another reference \(words). "
            + "The right one ranked \(ordinal(rank)) of \(others) candidates."
    }

    private func missed(_ trial: JudgedTrial) -> String {
        let candidates = trial.record.candidates
        guard let best = candidates.first else {
            return "The matcher named no candidate."
        }
        guard let rank = trial.rightRank else {
            return
                "No score reached the threshold. The right reference is not among the "
                + "\(candidates.count.text("candidate"))."
        }
        let right = candidates[rank - 1].score
        if rank == 1 { return "The right reference ranked first. It scored \(below(right))." }
        return "The right reference ranked \(ordinal(rank)). It scored \(below(right)), "
            + "\(NumberText.fixed(best.score - right, digits: 2)) less than the best candidate, which is wrong too."
    }

    private func margin(_ trial: JudgedTrial) -> String {
        guard let threshold, let claim = trial.claim else { return "" }
        return " \(NumberText.fixed(claim.score - threshold, digits: 2)) above the threshold"
    }

    private func below(_ score: Double) -> String {
        threshold.map { "\(NumberText.fixed($0 - score, digits: 2)) below the threshold" }
            ?? "below the threshold"
    }

    private func ordinal(_ rank: Int) -> String {
        switch rank {
        case 1: "first"
        case 2: "second"
        case 3: "third"
        default: "\(rank)th"
        }
    }
}
