import AudioCore
import SignalProcessing

/// Raises or lowers a band of frequencies, as a parametric equaliser does.
///
/// The gain is `gainDecibels` −40…40 dB at `frequencyHertz` 1…200000 Hz. The bell is `frequencyHertz / quality` wide, with
/// `quality` 0.1…30. The filter runs forward and backward with half of the gain each, so there is no delay.
package struct Equalizer: Degradation {
    package static let name = "equalizer"
    package static let parameters = [
        Parameter("frequencyHertz", .number(1...200_000), milder: .never),
        Parameter("gainDecibels", .number(-40...40), milder: .either(to: 0, by: .difference(1))),
        Parameter("quality", .number(0.1...30), ifAbsent: .value(1), milder: .never),
    ]

    package var frequencyHertz: Double
    package var gainDecibels: Double
    package var quality: Double

    package init(frequencyHertz: Double, gainDecibels: Double, quality: Double = 1) {
        self.frequencyHertz = frequencyHertz
        self.gainDecibels = gainDecibels
        self.quality = quality
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = try clip.sampleRate(holding: frequencyHertz, for: Self.name)
        clip.audio = clip.audio.filteredBothWays(
            BiquadCascade([
                .bell(frequency: frequencyHertz, sampleRate: rate, q: quality, gainDecibels: gainDecibels / 2)
            ]))
        clip.scaleToFullScale()
    }
}
