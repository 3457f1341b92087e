import AudioCore
import Foundation
import Metrics
import Testing

@Suite struct ThresholdTests {
    private static let prices = DecisionPrices(prior: 0.3, falseAccept: 4, miss: 1, wrongReference: 2)

    /// Trials of `clusters` recordings with up to three candidates and coarse scores, so that some are equal.
    private static func trials(
        _ generator: inout SeededGenerator, clusters: Int = 12, perCluster: Int = 6
    ) -> [ThresholdTrial] {
        (0..<clusters * perCluster).map { number in
            let isPositive = generator.unit() < 0.6
            let candidates = (0..<generator.index(below: 4)).map { rank in
                let isRight = isPositive && generator.unit() < (rank == 0 ? 0.8 : 0.2)
                return (
                    score: (generator.uniform(in: -2...3) * 4).rounded() / 4 + (isRight ? 1 : 0),
                    isRight: isRight
                )
            }
            return ThresholdTrial(
                cluster: "c\(number % clusters)", isPositive: isPositive, candidates: candidates)
        }
    }

    private static func counts(_ trials: [ThresholdTrial], at threshold: Double?) -> [Int] {
        let decided = trials.map { $0.decided(at: threshold) }
        return [
            decided.count { $0.isPositive && $0.claim == true },
            decided.count { $0.isPositive && $0.claim == false },
            decided.count { !$0.isPositive && $0.claim != nil },
        ]
    }

    @Test func everyStepCountsWhatItsThresholdDecides() throws {
        var generator = SeededGenerator(seed: 1, "steps")
        for _ in 0..<40 {
            let trials = Self.trials(&generator)
            let sweep = ThresholdSweep(trials)
            #expect(!sweep.steps.isEmpty)
            for step in sweep.steps {
                let counts = Self.counts(trials, at: step.threshold)
                #expect([step.hits, step.wrongReferences, step.falseAccepts] == counts)
            }
            let thresholds = sweep.steps.map(\.threshold)
            #expect(thresholds == thresholds.sorted(by: >) && Set(thresholds).count == thresholds.count)
            #expect(Self.counts(trials, at: nil) == [0, 0, 0])
        }
    }

    @Test func theThresholdIsTheLowestWithTheWantedRate() throws {
        var generator = SeededGenerator(seed: 2, "rates")
        for wanted in [0, 0.01, 0.1, 0.3, 1] {
            let trials = Self.trials(&generator)
            let sweep = ThresholdSweep(trials)
            let choice = try #require(sweep.choice(for: .falseAccepts(about: wanted), Self.prices))
            let allowed = wanted * Double(sweep.negatives)
            #expect(Double(Self.counts(trials, at: choice.threshold)[2]) <= allowed)
            let lower = sweep.steps.first { $0.threshold < choice.threshold ?? .infinity }
            if let lower { #expect(Double(lower.falseAccepts) > allowed) }
        }
    }

    @Test func noThresholdCostsLess() throws {
        var generator = SeededGenerator(seed: 3, "cost")
        for _ in 0..<20 {
            let trials = Self.trials(&generator)
            func cost(_ threshold: Double?) throws -> Double {
                try #require(
                    OperatingPoint(trials.map { $0.decided(at: threshold) }, prices: Self.prices).cost)
            }
            let sweep = ThresholdSweep(trials)
            let best = try cost(#require(sweep.choice(for: .leastCost, Self.prices)).threshold)
            for threshold in [nil] + sweep.steps.map({ Optional($0.threshold) }) {
                #expect(try cost(threshold) >= best - 1e-9)
            }
        }
    }

    /// A threshold that a recording took part in choosing would have none of its negatives above it.
    @Test func aRecordingIsJudgedByTheThresholdOfOthers() throws {
        var trials = (0..<20).flatMap { number in
            [
                ThresholdTrial(
                    cluster: "c\(number)", isPositive: true, candidates: [(score: 5, isRight: true)]),
                ThresholdTrial(
                    cluster: "c\(number)", isPositive: false, candidates: [(score: 1, isRight: false)]),
            ]
        }
        trials.append(
            ThresholdTrial(cluster: "odd", isPositive: false, candidates: [(score: 4, isRight: false)]))
        let choice = try #require(
            ThresholdChoice(
                .falseAccepts(about: 0),
                of: CrossFittedTrials(trials, prices: Self.prices, seed: 1)))
        #expect(choice.own.falseAccepts.successes == 0)
        let fitted = try #require(choice.crossFitted)
        #expect(fitted.falseAccepts.successes == 1 && fitted.falseAccepts.trials == 21)
        #expect(fitted.recall.trials == 20 && fitted.recall.successes == 20)
        let range = try #require(choice.foldThresholds)
        #expect(range.lower <= 4 && range.upper > 4 && choice.threshold.map { $0 > 4 && $0 <= 5 } == true)
    }

    /// On average the cross-fitted rate is that of other recordings; the rate of the trials that chose is too low.
    @Test func crossFittedRatesAreThoseOfOtherRecordings() throws {
        var generator = SeededGenerator(seed: 5, "bias")
        func normal() -> Double {
            NormalDistribution.quantile(min(max(generator.unit(), 1e-12), 1 - 1e-12))
        }
        let (runs, wanted) = (60, 0.05)
        var (own, fitted, true_) = (0.0, 0.0, 0.0)
        var covered = 0
        for run in 0..<runs {
            let trials = (0..<40).flatMap { cluster -> [ThresholdTrial] in
                let level = normal() * 0.5
                return (0..<10).map { number in
                    let score = normal() + level + (number < 5 ? 3 : 0)
                    return ThresholdTrial(
                        cluster: "c\(cluster)", isPositive: number < 5,
                        candidates: [(score: score, isRight: number < 5)])
                }
            }
            let choice = try #require(
                ThresholdChoice(
                    .falseAccepts(about: wanted),
                    of: CrossFittedTrials(
                        trials, prices: Self.prices, seed: UInt64(run))))
            let threshold = try #require(choice.threshold)
            let truth = 1 - NormalDistribution.cumulative(threshold / 1.25.squareRoot())
            let rate = try #require(choice.crossFitted).falseAccepts
            own += try #require(choice.own.falseAccepts.rate) / Double(runs)
            fitted += try #require(rate.rate) / Double(runs)
            true_ += truth / Double(runs)
            covered += try #require(rate.wilsonInterval()).contains(truth) ? 1 : 0
        }
        #expect(own < wanted && own < true_ - 0.002)
        #expect(abs(fitted - true_) < 0.004, "\(fitted) against \(true_)")
        #expect(covered >= runs * 9 / 10)
    }

    /// Some recordings have high scores, so that their negatives are accepted together.
    ///
    /// The true rate of a threshold is known.
    ///
    /// Half of the recordings choose. The threshold seldom exceeds the wanted rate in the truth and in the other half. The one
    /// for an average does in half of the cases.
    @Test(arguments: [(60, 0.2, 0.3), (200, 0.1, 0.2), (400, 0.02, 0.05), (800, 0.01, 0.0)])
    func boundedThresholdsKeepTheRate(_ recordings: Int, _ wanted: Double, _ high: Double) throws {
        var generator = SeededGenerator(seed: 7, "bounded \(recordings)")
        let splits = 400
        var (inTruth, inOthers, average, chosen) = (0, 0, 0, 0)
        for _ in 0..<splits {
            let halves = (0..<2).map { _ in
                (0..<recordings).map { _ in
                    let level = generator.unit() < high ? 3.0 : 1
                    return (0..<4).map { _ in -level * log(1 - generator.unit()) }
                }
            }
            let sweep = ThresholdSweep(
                halves[0].enumerated().flatMap { recording, scores in
                    scores.map {
                        ThresholdTrial(
                            cluster: "\(recording)", isPositive: false,
                            candidates: [(score: $0, isRight: false)])
                    }
                })
            func others(_ threshold: Double) -> Double {
                let count = halves[1].reduce(0) { $0 + $1.count { $0 >= threshold } }
                return Double(count) / Double(4 * recordings)
            }
            let bounded = ThresholdGoal.boundedFalseAccepts(atMost: wanted, confidence: 0.95)
            if let threshold = try #require(sweep.choice(for: bounded, Self.prices)).threshold {
                chosen += 1
                inTruth += (1 - high) * exp(-threshold) + high * exp(-threshold / 3) > wanted ? 1 : 0
                inOthers += others(threshold) > wanted ? 1 : 0
            }
            let about = try #require(sweep.choice(for: .falseAccepts(about: wanted), Self.prices)?.threshold)
            average += others(about) > wanted ? 1 : 0
        }
        let counts = "\(inTruth) in truth, \(inOthers) in others, \(average) on average, \(chosen) chosen"
        #expect(chosen > splits * 9 / 10, "\(counts)")
        #expect(inTruth <= splits * 5 / 100 && inOthers <= splits * 6 / 100, "\(counts)")
        // A threshold that is never near the wanted rate keeps it, too, but is of no use.
        #expect(inOthers > 0 && average > splits / 3, "\(counts)")
    }

    /// Few recordings show no low rate, however many queries they have.
    @Test func tooFewRecordingsChooseNothing() throws {
        let goal = ThresholdGoal.boundedFalseAccepts(atMost: 0.01, confidence: 0.95)
        func trials(_ recordings: Int, each count: Int) -> [ThresholdTrial] {
            (0..<recordings * count).map {
                ThresholdTrial(
                    cluster: "c\($0 % recordings)", isPositive: false,
                    candidates: [(score: Double($0) / 1e6, isRight: false)])
            } + [ThresholdTrial(cluster: "c0", isPositive: true, candidates: [(score: 9, isRight: true)])]
        }
        func choice(_ trials: [ThresholdTrial]) throws -> ThresholdSweep.Choice {
            try #require(ThresholdSweep(trials).choice(for: goal, Self.prices))
        }
        #expect(try choice(trials(20, each: 500)) == .acceptNothing)
        #expect(try choice(trials(500, each: 20)).threshold != nil)
        // Parts of the recordings stand for all: each chooses, and is judged by the others.
        let fitted = CrossFittedTrials(trials(500, each: 20), prices: Self.prices, seed: 1)
        let chosen = try #require(ThresholdChoice(goal, of: fitted))
        #expect(chosen.foldThresholds != nil && chosen.crossFitted?.recall.successes == 1)
        let bound = try #require(chosen.own.falseAccepts.upperBoundOfOthers())
        #expect(try bound <= 0.01 && bound > #require(chosen.own.falseAccepts.upperBound()))
    }

    /// The truth is known of clusters whose mistakes come together, at rates down to nearly none.
    @Test(arguments: [(0.002, 0.002), (0.05, 0.01), (0.3, 0.2)])
    func intervalsOfCostsHoldTheTrueOne(_ mistakes: Double, _ accepts: Double) throws {
        var generator = SeededGenerator(seed: 6, "cost")
        let (runs, wrong) = (200, 0.3)
        let truth =
            Self.prices.prior * mistakes
            * ((1 - wrong) * Self.prices.miss + wrong * Self.prices.wrongReference)
            + (1 - Self.prices.prior) * accepts * Self.prices.falseAccept
        var covered = 0
        for _ in 0..<runs {
            let decided = (0..<30).flatMap { cluster -> [DecidedTrial] in
                // Half of the clusters have all mistakes.
                let factor = cluster.isMultiple(of: 2) ? 2.0 : 0
                return (0..<12).map { number in
                    let isPositive = cluster < 20
                    let isMistaken = generator.unit() < factor * (isPositive ? mistakes : accepts)
                    let claim: Bool? =
                        isPositive
                        ? (isMistaken ? (generator.unit() < wrong ? false : nil) : true)
                        : (isMistaken ? false : nil)
                    return DecidedTrial(
                        cluster: "c\(cluster)", isPositive: isPositive, claim: claim,
                        accepted: claim == nil ? 0 : 1, rightAccepted: claim == true ? 1 : 0)
                }
            }
            let point = OperatingPoint(decided, prices: Self.prices)
            let (cost, interval) = (try #require(point.cost), try #require(point.costInterval))
            #expect(interval.lower <= cost && cost < interval.upper && interval.lower >= 0)
            covered += interval.contains(truth) ? 1 : 0
        }
        #expect(covered >= runs * 93 / 100, "\(covered)")
    }

    @Test func whatCannotBeChosenIsNil() throws {
        func choice(_ goal: ThresholdGoal, _ trials: [ThresholdTrial]) -> ThresholdChoice? {
            ThresholdChoice(
                goal, of: CrossFittedTrials(trials, prices: Self.prices, seed: 1))
        }
        func trial(_ cluster: String, _ isPositive: Bool, _ score: Double) -> ThresholdTrial {
            ThresholdTrial(
                cluster: cluster, isPositive: isPositive, candidates: [(score: score, isRight: isPositive)])
        }
        let goal = ThresholdGoal.falseAccepts(about: 0.1)
        let positives = [trial("a", true, 1), trial("b", true, 2)]
        #expect(choice(goal, positives) == nil)
        #expect(choice(.leastCost, positives) == nil)
        // One recording only, or negatives of one only: no others can judge.
        for cluster in ["a", "b"] {
            let trials = [trial("a", true, 2), trial(cluster, false, 1)]
            let chosen = try #require(choice(goal, trials))
            #expect(chosen.crossFitted == nil && chosen.own.recall.successes == 1)
        }
        // All scores equal: what accepts the positives accepts the negatives.
        let equal = (0..<8).map { trial("c\($0)", $0 < 4, 1) }
        let chosen = try #require(choice(goal, equal))
        #expect(chosen.threshold == nil && chosen.own.recall.successes == 0)
        #expect(ThresholdSweep(equal).steps.count == 1)
        // What is not a number is no score, and what is infinite is one.
        let odd = ThresholdTrial(
            cluster: "a", isPositive: false,
            candidates: [(score: .nan, isRight: false), (score: .infinity, isRight: false)])
        #expect(odd.decided(at: 1e300).claim == false && odd.decided(at: nil).claim == nil)
        #expect(ThresholdSweep([odd]).steps.map(\.threshold) == [.infinity])
    }

    @Test(arguments: [(0.5731, 0.6442), (1.25, 1.5), (-3.0, -2.9999), (0.0, 1e-9), (1e9, 1e9 + 1.0)])
    func thresholdsHaveFewDigits(_ lower: Double, _ upper: Double) throws {
        let trials = [(lower, false), (upper, true)].map { score, isPositive in
            ThresholdTrial(cluster: "\(score)", isPositive: isPositive, candidates: [(score, isPositive)])
        }
        let threshold = try #require(
            ThresholdSweep(trials).choice(for: .falseAccepts(about: 0), Self.prices)?.threshold)
        #expect(threshold > lower && threshold <= upper)
        #expect("\(threshold)".count <= max("\(lower)".count, "\(upper)".count) + 1, "\(threshold)")
    }
}
