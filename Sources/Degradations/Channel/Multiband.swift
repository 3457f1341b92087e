import AudioCore
import SignalProcessing

/// Compresses three bands apart and limits their sum, as the processor of a radio station does.
///
/// The bands meet at 200 Hz and 3 kHz. Each is compressed above `thresholdDecibels` −80…0 dB of full scale by `ratio` 1…100,
/// with an attack of 10 ms and a release of 150 ms. The sum is brought back to its mean power before, raised by
/// `driveDecibels` 0…24 dB, and limited to full scale. The filters have no delay. Stores the limiter's greatest change of
/// gain as `limitedDecibels`.
package struct Multiband: Degradation {
    package static let name = "multiband"
    package static let parameters = [
        Parameter(
            "thresholdDecibels", .number(-80...0), ifAbsent: .value(-30),
            milder: .up(to: 0, by: .difference(1))),
        Parameter(
            "ratio", .number(1...100, unit: "to 1"), ifAbsent: .value(4),
            milder: .down(to: 1, by: .difference(0.5))),
        Parameter(
            "driveDecibels", .number(0...24), ifAbsent: .value(6), milder: .down(to: 0, by: .difference(1))),
    ]

    private static let crossoverHertz = [200.0, 3000]

    package var thresholdDecibels: Double
    package var ratio: Double
    package var driveDecibels: Double

    package init(thresholdDecibels: Double = -30, ratio: Double = 4, driveDecibels: Double = 6) {
        self.thresholdDecibels = thresholdDecibels
        self.ratio = ratio
        self.driveDecibels = driveDecibels
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let before = clip.audio.meanPower
        guard before > 0 else { return }
        let rate = Double(clip.audio.sampleRate)
        let compression = Compression(
            thresholdDecibels: thresholdDecibels, ratio: ratio, attackSeconds: 0.01, releaseSeconds: 0.15)
        // What a low-pass without delay leaves is the rest of the signal, so the bands add up to it.
        var rest = clip.audio
        var bands: [AudioBuffer] = []
        for edge in Self.crossoverHertz.reversed() where edge < 0.45 * rate {
            let low = rest.filteredBothWays(.butterworthLowPass(order: 2, frequency: edge, sampleRate: rate))
            rest.add(low, times: -1)
            bands.append(rest)
            rest = low
        }
        bands.append(rest)
        clip.audio.scale(by: 0)
        for var band in bands {
            band.scale(by: compression.gains(for: band.level, sampleRate: rate))
            clip.audio.add(band)
        }
        let drive = Decibels.powerRatio(driveDecibels)
        clip.audio.scale(
            by: Float((before / max(clip.audio.meanPower, .leastNonzeroMagnitude) * drive).squareRoot()))
        clip.limit(toDecibels: 0)
    }
}
