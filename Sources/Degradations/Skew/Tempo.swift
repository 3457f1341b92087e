import AudioCore
import SignalProcessing

/// Plays faster or slower: changes time and leaves frequency alone.
///
/// `percent` −50…100; positive is faster. By the Rubber Band library: up to ±5 % onsets stay
/// within 2 ms of the truth however long the query, and frequencies within 0.02 %.
public struct Tempo: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "tempo"
    /// What a plan may set.
    public static let parameters = [Parameter("percent", .number(-50...100, unit: "%"))]

    /// The change of tempo, in percent.
    public var percent: Double

    /// How many source seconds one second of output takes up.
    public var sourceSecondsPerSecond: Double? { 1 + percent / 100 }

    /// Makes a change of tempo by `percent`.
    public init(percent: Double) { self.percent = percent }

    /// Stretches time and bends the time map.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        try clip.stretch(speed: 1 + percent / 100, frequencyRatio: 1)
    }
}
