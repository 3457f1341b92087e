import AudioCore
import SignalProcessing

/// Changes the level of all frequencies on one side, as a tone control does.
///
/// `side` low or high; `frequencyHertz` 1…200000 Hz, with half of the gain; `gainDecibels` −40…40 dB. The filter runs
/// forward and backward with half of the gain each, so there is no delay.
package struct Shelf: Degradation {
    package enum Side: String, Codable, Hashable, Sendable, CaseIterable {
        case low
        case high
    }

    package static let name = "shelf"
    package static let parameters = [
        Parameter("side", .choice(Side.allCases.map(\.rawValue))),
        Parameter("frequencyHertz", .number(1...200_000), milder: .never),
        Parameter("gainDecibels", .number(-40...40), milder: .either(to: 0, by: .difference(1))),
    ]

    package var side: Side
    package var frequencyHertz: Double
    package var gainDecibels: Double

    package init(side: Side, frequencyHertz: Double, gainDecibels: Double) {
        self.side = side
        self.frequencyHertz = frequencyHertz
        self.gainDecibels = gainDecibels
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = try clip.sampleRate(holding: frequencyHertz, for: Self.name)
        let section: Biquad =
            switch side {
            case .low: .lowShelf(frequency: frequencyHertz, sampleRate: rate, gainDecibels: gainDecibels / 2)
            case .high:
                .highShelf(frequency: frequencyHertz, sampleRate: rate, gainDecibels: gainDecibels / 2)
            }
        clip.audio = clip.audio.filteredBothWays(BiquadCascade([section]))
    }
}
