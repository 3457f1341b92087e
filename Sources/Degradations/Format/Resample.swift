import AudioCore

/// Changes the sample rate; times and frequencies stay.
///
/// `sampleRateHertz` 1000…384000 Hz. A sinc converter of libsamplerate resamples without delay. Its errors are at
/// −121 dB, and it keeps 90 % of the narrower band.
package struct Resample: Degradation {
    package static let name = "resample"
    package static let version = 2
    package static let group = ConditionGroup.sampleRate
    package static let parameters = [
        Parameter("sampleRateHertz", .integer(1000...384_000), milder: .up(to: 44_100, by: .ratio(1.05)))
    ]

    package var sampleRateHertz: Int

    package init(sampleRateHertz: Int) { self.sampleRateHertz = sampleRateHertz }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        try clip.resample(to: sampleRateHertz)
    }
}

extension Clip {
    /// Resamples without delay.
    mutating func resample(to sampleRate: Int) throws {
        guard sampleRate != audio.sampleRate else { return }
        replace(with: try audio.resampled(to: sampleRate))
    }
}
