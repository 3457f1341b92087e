import AudioCore
import Metrics
import Testing

private func forecast(_ probability: Double, _ happened: Bool, weight: Double = 1, cluster: String)
    -> ReliabilityDiagram.Forecast
{
    .init(probability: probability, happened: happened, weight: weight, cluster: cluster)
}

@Test func reliabilityAgreesWithNumPy() throws {
    let reference = try ReferenceValues.load().reliability
    let diagram = try #require(
        ReliabilityDiagram(
            reference.forecasts.map {
                forecast($0.probability, $0.happened, weight: $0.weight, cluster: $0.cluster)
            }))
    #expect(diagram.count == reference.forecasts.count)
    #expect(agree(diagram.brierScore, reference.brierScore, tolerance: 1e-12))
    #expect(agree(diagram.expectedCalibrationError, reference.expectedCalibrationError, tolerance: 1e-12))
    try #require(diagram.bins.count == reference.bins.count)
    for (bin, expected) in zip(diagram.bins, reference.bins) {
        #expect(bin.range.lower == expected.from)
        #expect(bin.count == expected.count)
        #expect(agree(bin.share, expected.share, tolerance: 1e-12))
        #expect(agree(bin.stated, expected.stated, tolerance: 1e-12))
        #expect(agree(bin.observed, expected.observed, tolerance: 1e-12))
        #expect(agree(bin.interval.lower, expected.lower, tolerance: 1e-11))
        #expect(agree(bin.interval.upper, expected.upper, tolerance: 1e-11))
    }
}

@Test func weightsEqualRepetitionsExceptInIntervals() throws {
    let once = (0..<90).map { number -> ReliabilityDiagram.Forecast in
        let probability = Double(number % 11) / 10
        let weight = Double(1 + number % 2)
        return forecast(probability, number % 3 == 0, weight: weight, cluster: "\(number % 7)")
    }
    let repeated = once.flatMap { one in
        (0..<Int(one.weight)).map { _ in forecast(one.probability, one.happened, cluster: one.cluster) }
    }
    let weighted = try #require(ReliabilityDiagram(once))
    let counted = try #require(ReliabilityDiagram(repeated))
    #expect(agree(weighted.brierScore, counted.brierScore, tolerance: 1e-12))
    #expect(agree(weighted.expectedCalibrationError, counted.expectedCalibrationError, tolerance: 1e-12))
    #expect(weighted.bins.map(\.range) == counted.bins.map(\.range))
}

@Test func orderChangesNoDigit() throws {
    var generator = SeededGenerator(seed: 8)
    let forecasts = (0..<400).map { number -> ReliabilityDiagram.Forecast in
        let weight = number.isMultiple(of: 3) ? 0.1 : 0.7
        return forecast(generator.unit(), generator.unit() < 0.5, weight: weight, cluster: "\(number % 20)")
    }
    let first = try #require(ReliabilityDiagram(forecasts))
    for _ in 0..<5 {
        #expect(ReliabilityDiagram(forecasts.shuffled(using: &generator)) == first)
    }
}

@Test func exactProbabilitiesAreCalibrated() throws {
    var forecasts: [ReliabilityDiagram.Forecast] = []
    for tenth in 0..<10 {
        let probability = Double(tenth) / 10 + 0.05
        for number in 0..<100 {
            forecasts.append(forecast(probability, number < tenth * 10 + 5, cluster: "\(number)"))
        }
    }
    let diagram = try #require(ReliabilityDiagram(forecasts))
    #expect(diagram.expectedCalibrationError < 1e-12)
    let sure = (0..<100).map { forecast(0.95, $0 < 45, cluster: "\($0)") }
    #expect(try abs(#require(ReliabilityDiagram(sure)).expectedCalibrationError - 0.5) < 1e-12)
}

@Test func edgesBelongToTheirBins() throws {
    let stated: [Double] = [0, 0.01, 0.1, 0.99, 1, .nan, -0.1, 1.1]
    let diagram = try #require(ReliabilityDiagram(stated.map { forecast($0, true, cluster: "a") }))
    #expect(diagram.count == 5)
    #expect(diagram.bins.map(\.range.lower) == [0, 0.01, 0.1, 0.99])
    #expect(diagram.bins.map(\.count) == [1, 1, 1, 2])
    #expect(ReliabilityDiagram([forecast(.nan, true, cluster: "a")]) == nil)
}
