/// Plays higher or lower: changes frequency and leaves time alone.
///
/// `percent` −50…100; positive is higher. By the Rubber Band library, whose delay is measured and taken out of the
/// truth. Up to ±5 % onsets are within 1 ms of the truth however long the query, or 2 ms
/// where pitch and tempo both change. Frequencies are within 0.02 %.
package struct Pitch: Degradation {
    package static let name = "pitch"
    package static let version = 3
    package static let group = ConditionGroup.skew
    package static let keepsSpeed = true
    package static let parameters = [
        Parameter("percent", .number(-50...100, unit: "%"), milder: .either(to: 0, by: .difference(0.1)))
    ]

    package var percent: Double

    package var sourceSecondsPerSecond: Double? { 1 }

    package init(percent: Double) { self.percent = percent }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        try clip.stretch(speed: 1, frequencyRatio: 1 + percent / 100)
    }
}
