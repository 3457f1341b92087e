import Metrics
import Testing

/// Sums of at most 101 terms, in another order.
private let sumTolerance = 1e-13

@Test func quantilesAgreeWithNumPy() throws {
    let samples = try ReferenceValues.load().samples
    try #require(!samples.isEmpty)
    for sample in samples {
        try #require(!sample.quantiles.isEmpty)
        for reference in sample.quantiles {
            let value = try #require(Percentile.of(sample.values, at: reference.fraction))
            #expect(agree(value, reference.value, tolerance: sumTolerance))
        }
    }
}

@Test func errorSummariesAgreeWithNumPy() throws {
    for sample in try ReferenceValues.load().samples {
        let summary = try #require(ErrorSummary(sample.values))
        #expect(summary.count == sample.values.count)
        #expect(agree(summary.bias, sample.bias, tolerance: sumTolerance))
        #expect(agree(summary.meanAbsolute, sample.meanAbsolute, tolerance: sumTolerance))
        #expect(agree(summary.medianAbsolute, sample.medianAbsolute, tolerance: sumTolerance))
        #expect(agree(summary.percentile95Absolute, sample.percentile95Absolute, tolerance: sumTolerance))
        #expect(summary.maximumAbsolute == sample.maximumAbsolute)
    }
}

/// Of 0…100 the quantile at f is 100 f.
@Test func quantilesOfARampAreTheRamp() throws {
    let ramp = (0...100).map(Double.init).reversed()
    for percent in 0...100 {
        let value = try #require(Percentile.of(Array(ramp), at: Double(percent) / 100))
        #expect(agree(value, Double(percent), tolerance: 1e-13))
    }
}

@Test func summaryByHand() throws {
    // −3, −1, 2: mean −2/3; magnitudes 1, 2, 3: mean 2, median 2, p95 = 2 + 0.9·(3 − 2).
    let summary = try #require(ErrorSummary([2, -3, -1]))
    #expect(agree(summary.bias, -2.0 / 3, tolerance: 1e-15))
    #expect(summary.meanAbsolute == 2)
    #expect(summary.medianAbsolute == 2)
    #expect(agree(summary.percentile95Absolute, 2.9, tolerance: 1e-15))
    #expect(summary.maximumAbsolute == 3)
}

@Test func summaryDoesNotDependOnOrder() throws {
    let values = (0..<500).map { (number: Int) in Double(number * 7919 % 1000) * 0.001 - 0.4999 }
    #expect(ErrorSummary(values) == ErrorSummary(values.reversed()))
    #expect(ErrorSummary(values) == ErrorSummary(values.sorted()))
}

@Test func nothingHasNoSummary() {
    #expect(ErrorSummary([]) == nil)
    #expect(Percentile.of([], at: 0.5) == nil)
}
