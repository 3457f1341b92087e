import ArgumentParser
import Evaluation
import Foundation
import Reporting

/// How many trials a report shows in full.
struct DetailOptions: ParsableArguments {
    @Option(
        help: """
            How many trials can be opened in the report with their sounds, spectrograms, peaks and scores, 0 for none: \
            two thirds the worst (wrong answers, the surest first; then misses, the nearest to the threshold first), \
            the others drawn by the seed. More than 36 go into the folder trials beside the report.
            """)
    var details = TrialChoice.usualCount

    func validate() throws {
        if !(0...100_000).contains(details) {
            throw ValidationError("--details \(details) is not in 0...100000")
        }
    }

    /// The trials of a run to show, as far as `store` keeps their details.
    func shown(
        in store: TrialStore, _ key: TrialStore.RunKey, of model: ReportModel, remark: String? = nil
    ) throws -> ShownTrials {
        try ShownTrials(details, of: model.trials, seed: model.facts.seed, remark: remark) {
            try store.detail(of: $0, in: key)
        }
    }
}
