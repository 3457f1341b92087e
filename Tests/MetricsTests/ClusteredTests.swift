import AudioCore
import Metrics
import Testing

/// SciPy's root finder stops within 1e-15 of the root, whose slope can be small.
private let rootTolerance = 1e-11

private func trials(_ successes: [Int], of trials: [Int]) -> [(cluster: String, success: Bool)] {
    zip(successes, trials).enumerated().flatMap { number, cell in
        (0..<cell.1).map { (cluster: "\(number)", success: $0 < cell.0) }
    }
}

@Test func clusteredIntervalsAgreeWithNumPy() throws {
    let cases = try ReferenceValues.load().clustered
    try #require(cases.count >= 5)
    for reference in cases {
        let proportion = Proportion(clustered: trials(reference.successes, of: reference.trials))
        let interval = try #require(proportion.wilsonInterval())
        #expect(agree(proportion.effectiveTrials, reference.effectiveTrials, tolerance: 1e-12))
        #expect(agree(interval.lower, reference.lower, tolerance: rootTolerance), "\(reference)")
        #expect(agree(interval.upper, reference.upper, tolerance: rootTolerance), "\(reference)")
        #expect(proportion.successes == reference.successes.reduce(0, +))
        #expect(proportion.clusters == reference.trials.count)
    }
}

@Test func clustersNeverMakeAnIntervalNarrower() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
        let sizes = (0..<(2 + generator.index(below: 30))).map { _ in 1 + generator.index(below: 12) }
        let successes = sizes.map { generator.index(below: $0 + 1) }
        let clustered = Proportion(clustered: trials(successes, of: sizes))
        let plain = Proportion(clustered.successes, of: clustered.trials)
        let wide = try #require(clustered.wilsonInterval())
        let narrow = try #require(plain.wilsonInterval())
        #expect(clustered.designEffect >= 1)
        #expect(wide.lower <= narrow.lower + 1e-12 && wide.upper >= narrow.upper - 1e-12)
    }
}

@Test func copiesOfTrialsAddNoInformation() throws {
    let outcomes = (0..<60).map { $0 % 5 != 0 }
    let once = Proportion(clustered: outcomes.enumerated().map { ("\($0)", $1) })
    let copied = Proportion(
        clustered: outcomes.enumerated().flatMap { number, success in
            (0..<10).map { _ in ("\(number)", success) }
        })
    #expect(once.effectiveTrials == 60)
    #expect((55...60).contains(copied.effectiveTrials))
}

@Test func oneClusterIsOneTrial() throws {
    let proportion = Proportion(clustered: (0..<50).map { _ in (cluster: "a", success: true) })
    #expect(proportion.effectiveTrials == 1)
    #expect(proportion.wilsonInterval() == Interval(lower: 0, upper: 1))
    #expect(Proportion(clustered: [(cluster: String, success: Bool)]()).wilsonInterval() == nil)
}

/// A single failure tells little about the spread between recordings, so it must not narrow the interval much.
@Test func oneFailureIsNotWorthMoreThanNone() throws {
    func upper(failures: Int) throws -> Double {
        let drawn = (0..<15).flatMap { cluster in
            (0..<56).map { (cluster: "\(cluster)", success: cluster == 0 && $0 < failures) }
        }
        return try #require(Proportion(clustered: drawn).upperBound())
    }
    #expect(try upper(failures: 0) > 0.08)
    #expect(try upper(failures: 1) > 0.95 * upper(failures: 0))
}

@Test func distinctLengthCountsNoPartTwice() {
    func cut(_ recording: String, _ lower: Double, _ upper: Double) -> (recording: String, span: Interval) {
        (recording, Interval(lower: lower, upper: upper))
    }
    #expect(DistinctLength.of([cut("a", 0, 5), cut("a", 3, 8), cut("a", 4, 6)]) == 8)
    #expect(DistinctLength.of([cut("a", 0, 5), cut("b", 3, 8)]) == 10)
    #expect(DistinctLength.of([cut("a", 10, 12), cut("a", 0, 5), cut("a", 5, 6)]) == 8)
    #expect(DistinctLength.of([cut("a", 0, 9), cut("a", 1, 2), cut("a", 8, 10)]) == 10)
    #expect(DistinctLength.of([(recording: String, span: Interval)]()) == 0)
}
