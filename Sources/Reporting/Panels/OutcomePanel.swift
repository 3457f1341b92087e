import Metrics

/// The outcomes of the run, which sum to its trials.
struct OutcomeContent {
    let rows: [(name: String, meaning: String, count: Figure, share: String, of: String)]
    let total: String
    let remarks: String

    init(_ model: ReportModel) {
        let counts = model.overall.outcomes
        rows = Outcome.allCases.filter { $0 != .negativeError || counts.negativeError > 0 }.map { outcome in
            let (total, of) =
                switch outcome {
                case .correct, .wrongReference, .missed: (counts.positives, "of positives")
                case .falseAccept, .correctReject: (counts.negatives, "of answered negatives")
                case .negativeError: (counts.negatives + counts.negativeError, "of all negatives")
                }
            return (
                Self.name(of: outcome), Self.meaning(of: outcome), Figure(counts[outcome]),
                NumberText.rate(Proportion(counts[outcome], of: total)), of
            )
        }
        total = NumberText.count(counts.trials)
        let errors = model.overall.errors
        let notOffered = model.overall.notOffered
        var remarks =
            errors == 0
            ? "No trial ended with an error."
            : "\(NumberText.count(errors)) of these ended with an error: "
                + NumberText.fate(ofErrors: model.overall)
        if notOffered > 0 {
            remarks +=
                " \(NumberText.count(notOffered)) more were not run and do not count. Their format does not exist "
                + "at that rate, or the query cannot be made from its recording."
        }
        self.remarks = remarks
    }

    static func name(of outcome: Outcome) -> String {
        switch outcome {
        case .correct: "Correct"
        case .wrongReference: "Wrong reference"
        case .missed: "Missed"
        case .falseAccept: "False accept"
        case .correctReject: "Correct reject"
        case .negativeError: "Error on a negative"
        }
    }

    private static func meaning(of outcome: Outcome) -> String {
        switch outcome {
        case .correct:
            "The query is of an enrolled recording, and that recording was named, at whatever place."
        case .wrongReference: "The query is of an enrolled recording, but another one was named."
        case .missed: "The query is of an enrolled recording, but none was named."
        case .falseAccept: "The query is of no enrolled recording, but one was named."
        case .correctReject: "The query is of no enrolled recording, and none was named."
        case .negativeError: "The query is of no enrolled recording, and the matcher failed on it."
        }
    }
}
