import AudioCore
import AudioIO
import Evaluation
import SignalProcessing

/// A query between two sweeps, as a speaker plays it.
package struct PlayedQuery: Sendable {
    /// The rate at which everything is played, in hertz.
    package static let sampleRate = 48_000
    /// The silence between a sweep and the query, in which the room grows quiet.
    private static let gapSeconds = 0.5
    /// The largest magnitude of a sample; louder queries are scaled down.
    private static let highestPeak: Float = 0.9

    /// The query's trial, with its truth before it is played.
    package let record: TrialRecord
    /// The length of the query in played seconds.
    package let querySeconds: Double
    /// The RMS of the query as it is played, in decibels of full scale.
    let playedDecibels: Double

    /// Where the query begins, in seconds after the first sweep's first sample.
    static let queryStart = Sweep.seconds + gapSeconds
    /// Where the second sweep begins.
    var secondSweep: Double { Self.queryStart + querySeconds + Self.gapSeconds }
    /// The length with both sweeps.
    var seconds: Double { secondSweep + Sweep.seconds }

    /// A rendered query, and what to play: one channel at ``sampleRate``.
    static func make(_ record: TrialRecord, _ audio: AudioBuffer) throws -> (PlayedQuery, [Float]) {
        let mono = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
        var samples = try Resampler.resample(mono, to: sampleRate).samples
        let sound = AudioBuffer(samples: samples, sampleRate: sampleRate)
        let peak = sound.peak
        if peak > highestPeak { samples = samples.map { $0 * (highestPeak / peak) } }
        let gap = [Float](repeating: 0, count: Int(bounded: gapSeconds * Double(sampleRate)))
        let played = PlayedQuery(
            record: record, querySeconds: sound.durationSeconds,
            playedDecibels: Decibels.fromPowerRatio(sound.meanPower))
        let sweep = Sweep.samples(sampleRate: sampleRate)
        return (played, sweep + gap + samples + gap + sweep)
    }
}
