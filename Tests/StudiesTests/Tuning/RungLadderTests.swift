import Matchers
import Studies
import Testing

@Suite struct RungLadderTests {
    private let strata = (0..<10).flatMap { cell in Array(repeating: "cell \(cell)", count: 3 + 6 * cell) }

    @Test func eachRungHoldsTheOneBeforeAndTheLastHoldsAll() {
        let ladder = RungLadder(strata: strata, seed: 1)
        #expect(ladder.rungs.count == 3)
        #expect(ladder.rungs.last == Array(strata.indices))
        for (lower, upper) in zip(ladder.rungs, ladder.rungs.dropFirst()) {
            #expect(Set(lower).isStrictSubset(of: upper))
            #expect(lower == lower.sorted())
        }
    }

    @Test func eachRungTakesItsShareOfEveryStratum() {
        let ladder = RungLadder(strata: strata, seed: 1)
        for (rung, share) in zip(ladder.rungs, RungLadder.thirds) {
            for name in Set(strata) {
                let all = strata.count { $0 == name }
                let taken = rung.count { strata[$0] == name }
                #expect(taken == max(1, Int((share * Double(all)).rounded())), "\(name)")
            }
        }
    }

    @Test func trialsAreDrawnBySeed() {
        #expect(RungLadder(strata: strata, seed: 1).rungs == RungLadder(strata: strata, seed: 1).rungs)
        #expect(RungLadder(strata: strata, seed: 1).rungs[0] != RungLadder(strata: strata, seed: 2).rungs[0])
    }

    /// A program that enrols anew on each rung gets short queries of long recordings at once.
    @Test func aProgramHasOneRungUnlessQueriesLast() throws {
        let plan = try TuningFixture.shared.get().plan
        let program = Contestant(name: "p", summary: "", codeFiles: ["p"]) { SignMatcher(x: 0, y: 0) }
        #expect(RungLadder.shares(for: SignMatcher.contestant, over: plan) == RungLadder.thirds)
        #expect(RungLadder.shares(for: program, over: plan) == [1])
        let (long, _) = try TuningFixture.open(
            TuningFixture.planText.replacingOccurrences(of: "positives: 12", with: "positives: 3000"))
        #expect(RungLadder.shares(for: program, over: long) == RungLadder.thirds)
    }
}
