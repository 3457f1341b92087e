import Foundation
import Metrics
import Testing

@Suite struct PairedDifferenceTests {
    private func pairs(_ gained: Int, _ lost: Int, of count: Int) -> [(
        cluster: String, before: Bool, after: Bool
    )] {
        (0..<count).map { number in
            ("\(number)", number >= gained, number < gained || number >= gained + lost)
        }
    }

    @Test func aChangeAndItsReverseMirrorEachOther() throws {
        let one = PairedDifference(pairs(9, 3, of: 80))
        let other = PairedDifference(pairs(3, 9, of: 80))
        let (first, second) = (try #require(one.interval()), try #require(other.interval()))
        #expect(one.difference == 6.0 / 80)
        #expect(first.lower == -second.upper)
        #expect(first.lower < 6.0 / 80 && 6.0 / 80 < first.upper)
    }

    /// The coverage over all outcomes of 40 pairs.
    @Test(arguments: [(0.1, 0.05), (0.02, 0.02), (0.3, 0.1), (0.0, 0.1)])
    func theIntervalCoversTheTruth(_ gain: Double, _ loss: Double) throws {
        let n = 40
        var covered = 0.0
        for gained in 0...n {
            for lost in 0...(n - gained) {
                let ways =
                    lgamma(Double(n + 1)) - lgamma(Double(gained + 1)) - lgamma(Double(lost + 1))
                    - lgamma(Double(n - gained - lost + 1))
                let unequal = pow(gain, Double(gained)) * pow(loss, Double(lost))
                let probability = exp(ways) * unequal * pow(1 - gain - loss, Double(n - gained - lost))
                let interval = try #require(PairedDifference(pairs(gained, lost, of: n)).interval())
                if interval.lower <= gain - loss, gain - loss <= interval.upper { covered += probability }
            }
        }
        #expect(covered >= 0.93)
    }

    @Test func clusteredChangesWidenTheInterval() throws {
        let alone = PairedDifference(pairs(0, 12, of: 120))
        let clustered = PairedDifference(
            pairs(0, 12, of: 120).enumerated().map {
                ("\($0.offset / 12)", $0.element.before, $0.element.after)
            })
        let (narrow, wide) = (try #require(alone.interval()), try #require(clustered.interval()))
        #expect(wide.upper - wide.lower > 2 * (narrow.upper - narrow.lower))
    }

    @Test func noChangeInFewRecordingsExcludesNoSmallLoss() throws {
        func interval(_ clusters: Int, of size: Int) throws -> Interval {
            let same = (0..<(clusters * size)).map { ("\($0 / size)", true, true) }
            return try #require(PairedDifference(same).interval())
        }
        #expect(try interval(15, of: 56).lower < -0.04)
        #expect(try interval(840, of: 1).lower > -0.01)
        #expect(try interval(15, of: 112).lower > interval(15, of: 56).lower)
        #expect(try interval(1, of: 840).lower == -1)
    }

    @Test func aNearerLimitNeedsMoreTrials() throws {
        let seen = Proportion(95, of: 100)
        let far = try #require(seen.trialsNeeded(toDecide: 0.9))
        let near = try #require(seen.trialsNeeded(toDecide: 0.94))
        #expect(100 < far && far < near)
        #expect(seen.trialsNeeded(toDecide: 0.8) == 100)
        #expect(seen.trialsNeeded(toDecide: 0.95) == nil)
    }
}
