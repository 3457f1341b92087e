import AudioCore
import Evaluation
import Matchers
import Testing

@Suite struct TrialChoiceTests {
    /// A trial whose candidates have these scores; the one at `right` is right, those above 0 are accepted.
    private func trial(_ index: Int, _ scores: [Double], right: Int?, isPositive: Bool = true) -> JudgedTrial
    {
        var record = TrialStoreTests.record(index)
        record.trial.isPositive = isPositive
        record.truthReferences = isPositive ? ["right"] : []
        record.candidates = scores.enumerated().map { place, score in
            Candidate(
                referenceID: place == right ? "right" : "wrong \(place)", offsetSeconds: 0, score: score,
                isAccepted: score >= 0)
        }
        return JudgedTrial(record, threshold: nil)
    }

    private func random(_ count: Int, failing: Double) -> [JudgedTrial] {
        var generator = SeededGenerator(seed: 8, "\(count) \(failing)")
        return (0..<count).map { index in
            let fails = generator.unit() < failing
            let isPositive = generator.unit() < 0.6
            let best = generator.uniform(in: -9 ... -1) + (fails == isPositive ? 0 : 10)
            return trial(index, [best, best - 1], right: isPositive ? 0 : nil, isPositive: isPositive)
        }
    }

    @Test func theWorstComeInTheStatedOrder() {
        let trials = [
            trial(0, [5, 1], right: 0),  // correct
            trial(1, [-1, -2], right: 1),  // missed, 2 below
            trial(2, [7], right: nil, isPositive: false),  // false accept at 7
            trial(3, [-3], right: nil),  // missed, right one unknown
            trial(4, [9, 8], right: 1),  // wrong reference at 9
            trial(5, [-0.5], right: 0),  // missed by a half
            trial(6, [-4], right: nil, isPositive: false),  // correct reject
        ]
        let choice = TrialChoice(9, of: trials, seed: 1)
        #expect(choice.worst.map(\.record.trial.index) == [4, 2, 5, 1, 3])
        #expect(Set(choice.sample.map(\.record.trial.index)) == [0, 6])
        #expect(TrialChoice(3, of: trials, seed: 1).worst.map(\.record.trial.index) == [4, 2])
        #expect(TrialChoice(3, of: trials, seed: 1).trials.count == 3)
        #expect(TrialChoice(0, of: trials, seed: 1).trials.isEmpty)
        var erred = trials.map(\.record)
        erred[4].error = "broken"
        erred[2].isOffered = false
        let rest = TrialChoice(9, of: erred.map { JudgedTrial($0, threshold: nil) }, seed: 1)
        #expect(rest.worst.map(\.record.trial.index) == [5, 1, 3])
    }

    @Test(arguments: [0.02, 0.2, 0.9]) func shardsIncludeTheChoiceOfTheWholeRun(failing: Double) {
        let trials = random(300, failing: failing)
        for count in [1, 7, 36, 100] {
            let whole = TrialChoice(count, of: trials, seed: 4)
            #expect(whole.trials.count == count)
            #expect(Set(whole.trials.map(\.record.trial.id)).count == count)
            let shards = (0..<4).flatMap { shard in
                TrialChoice(count, of: trials.filter { $0.record.trial.index % 4 == shard }, seed: 4).trials
            }
            #expect(Set(shards.map(\.record.trial.id)).isSuperset(of: whole.trials.map(\.record.trial.id)))
        }
        // A larger choice is a superset, and another seed draws others.
        let (few, many) = (TrialChoice(36, of: trials, seed: 4), TrialChoice(120, of: trials, seed: 4))
        #expect(
            Set(many.trials.map(\.record.trial.index)).isSuperset(of: few.trials.map(\.record.trial.index)))
        #expect(
            TrialChoice(36, of: trials, seed: 5).sample.map(\.record.trial.index)
                != few.sample.map(\.record.trial.index))
    }
}
