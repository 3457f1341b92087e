/// Plays faster or slower, which changes time and frequency.
///
/// The ratio is an exact fraction: 21/20 is 5 % faster and 5 % higher. A plan has `percent` −50…100 (rounded to
/// 0.0001 %), or `numerator` and `denominator`. Query sample k is at source sample k·numerator/denominator.
package struct Speed: Degradation {
    package static let name = "speed"
    package static let version = 2
    package static let group = ConditionGroup.skew
    package static let keepsSpeed = true
    package static let parameters = [
        Parameter(
            "percent", .number(percents), ifAbsent: .optional, milder: .either(to: 0, by: .difference(0.1))),
        Parameter("numerator", .integer(1...1_000_000_000), ifAbsent: .optional, milder: .never),
        Parameter("denominator", .integer(1...1_000_000_000), ifAbsent: .optional, milder: .never),
    ]

    /// The range of the change of speed, in percent.
    package static let percents = -50.0...100.0

    /// The numerator of query speed over reference speed, reduced.
    package let numerator: Int
    package let denominator: Int

    package var ratio: Double { Double(numerator) / Double(denominator) }

    /// Both skews: `ratio` − 1.
    package var skew: Double { Double(numerator - denominator) / Double(denominator) }

    package var sourceSecondsPerSecond: Double? { ratio }

    package var severities: [String: PlainValue] { ["percent": .number((skew * 1e8).rounded() / 1e6)] }

    package init(numerator: Int, denominator: Int) {
        var (divisor, rest) = (numerator, denominator)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        self.numerator = divisor == 0 ? numerator : numerator / abs(divisor)
        self.denominator = divisor == 0 ? denominator : denominator / abs(divisor)
    }

    /// Makes a change of speed by `percent`, rounded to 0.0001 %; ``validate()`` checks the range.
    package init(percent: Double) {
        let parts = (percent * 10_000).rounded()
        self.init(numerator: abs(parts) < 1e12 ? 1_000_000 + Int(parts) : 0, denominator: 1_000_000)
    }

    private struct Written: Decodable {
        let percent: Double?
        let numerator: Int?
        let denominator: Int?
    }

    package init(from decoder: any Decoder) throws {
        let written = try Written(from: decoder)
        switch (written.percent, written.numerator, written.denominator) {
        case (let percent?, nil, nil): self.init(percent: percent)
        case (nil, let numerator?, let denominator?):
            self.init(numerator: numerator, denominator: denominator)
        default:
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected percent, or both numerator and denominator"))
        }
    }

    package func validate() throws {
        try validateParameters()
        guard Self.percents.contains(skew * 100) else {
            throw DegradationError.invalid(
                "\(Self.name): \(numerator)/\(denominator) is outside \(Self.percents) %")
        }
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        guard numerator != denominator else { return }
        let audio = try clip.audio.resampled(lengthRatio: denominator, over: numerator)
        clip.warp(into: audio, speed: ratio, frequencyRatio: ratio)
    }
}
