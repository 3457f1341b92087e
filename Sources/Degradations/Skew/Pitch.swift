import AudioCore
import SignalProcessing

/// Plays higher or lower: changes frequency and leaves time alone.
///
/// `percent` −50…100; positive is higher. By the Rubber Band library: up to ±5 % onsets stay
/// within 2 ms of the truth however long the query, and frequencies within 0.02 %.
public struct Pitch: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "pitch"
    /// What a plan may set.
    public static let parameters = [Parameter("percent", .number(-50...100, unit: "%"))]

    /// The change of pitch, in percent.
    public var percent: Double

    /// How many source seconds one second of output takes up.
    public var sourceSecondsPerSecond: Double? { 1 }

    /// Makes a change of pitch by `percent`.
    public init(percent: Double) { self.percent = percent }

    /// Shifts the pitch and scales the frequency map.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        try clip.stretch(speed: 1, frequencyRatio: 1 + percent / 100)
    }
}
