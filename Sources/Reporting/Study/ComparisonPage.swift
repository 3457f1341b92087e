import Evaluation
import Metrics

/// `compare-N.html`: two runs of the same trials side by side, as one page that opens without a network.
struct ComparisonPage {
    let title: String
    let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    let verdict: String
    let scope: String
    let runs: [Run]
    let tiles: [Tile]
    let changes: [ChangeRow]
    let hasChanges: Bool
    let unchanged: String
    let sides: [Side]
    let trials: [TrialRow]
    let hasTrials: Bool

    /// One of both runs.
    struct Run {
        let name: String
        let matcher: String
        let commit: String
        let settings: String
    }

    /// What one run alone got right.
    struct Side {
        let title: String
        let trials: [String]
        let hasTrials: Bool
        let more: String
        let hasMore: Bool
    }

    /// A trial that differs much.
    struct TrialRow {
        let trial: String
        let first: String
        let second: String
    }

    private static let mostListed = 200

    init(_ comparison: RunComparison, names: [String]) {
        let compared = comparison.compared
        let overall = ChangeRow(compared.overall, scale: 1)
        title = "\(names[1]) against \(names[0])"
        let words =
            "Recall differs by \(overall.difference) points (\(overall.interval), p \(overall.probability))"
        verdict =
            overall.isSure
            ? "\(words), which is more than chance." : "\(words), which chance can explain."
        let identity = comparison.identities[0]
        scope =
            "\(overall.positives) positive and \(NumberText.count(compared.overall.negatives.count)) negative queries "
            + "of plan \(identity.plan) on \(identity.corpus), \(identity.half) half, the same under both."
        runs = zip(names, comparison.identities).map { name, identity in
            Run(
                name: name, matcher: "\(identity.matcher) \(identity.version)",
                commit: HeaderContent.short(identity.commit),
                settings: Self.differing(identity, from: comparison.identities))
        }
        tiles = Tile.all(compared.overall, names: names)
        let changed = compared.mostChanged
        changes = ChangeRow.all(changed)
        hasChanges = !changes.isEmpty
        unchanged = NumberText.count(compared.cells.count - changed.count)
        sides = zip(names, [comparison.onlyFirst, comparison.onlySecond]).map { name, trials in
            let more = max(0, trials.count - Self.mostListed)
            return Side(
                title: "Only \(name) got right: \(NumberText.count(trials.count))",
                trials: Array(trials.prefix(Self.mostListed)), hasTrials: !trials.isEmpty,
                more: NumberText.count(more), hasMore: more > 0)
        }
        trials = comparison.mostDifferent.map { trial in
            let sides = (0..<2).map { side in
                let best = trial.best[side].map {
                    ", first \($0.referenceID) at \(NumberText.significant($0.score, digits: 3))"
                }
                let right = trial.rightScores[side].map {
                    ", right at \(NumberText.significant($0, digits: 3))"
                }
                return OutcomeContent.name(of: trial.outcomes[side]) + (best ?? ", no candidate")
                    + (right ?? "")
            }
            return TrialRow(trial: trial.trialID, first: sides[0], second: sides[1])
        }
        hasTrials = !trials.isEmpty
    }

    /// Renders the page.
    var html: String {
        get throws {
            try PageTemplate(parts: [
                ("comparison", PackageResources.comparison_mustache),
                ("changes", PackageResources.changes_mustache),
            ]).render(self)
        }
    }

    /// The settings of a run that the other does not share.
    private static func differing(_ identity: MarkedRun.Identity, from all: [MarkedRun.Identity]) -> String {
        let settings = identity.settings.filter { key, value in all.contains { $0.settings[key] != value } }
        return settings.isEmpty
            ? "the same settings"
            : settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
    }
}

extension Tile {
    /// The headline of a comparison.
    fileprivate static func all(_ overall: CellComparison, names: [String]) -> [Tile] {
        let pairs = overall.positives
        func recall(_ name: String, _ right: Int) -> Tile {
            let share = Proportion(right, of: pairs.count)
            return Tile(
                "Recall of \(name)", NumberText.rate(share),
                ["\(NumberText.count(right)) of \(NumberText.count(pairs.count))"])
        }
        let row = ChangeRow(overall, scale: 1)
        return [
            recall(names[0], pairs.both + pairs.onlyBefore), recall(names[1], pairs.both + pairs.onlyAfter),
            Tile(
                "Difference", "\(row.difference)\(NumberText.blank)points",
                [row.interval, "p \(row.probability)"]),
            Tile("Only one right", "\(row.onlyFirst) : \(row.onlySecond)", ["first : second"]),
            Tile(
                "False accepts", "\(row.goneFalseAccepts) : \(row.newFalseAccepts)",
                ["only first : only second"]),
        ]
    }
}
