import AudioCore
import Foundation
import SignalProcessing

/// Loses packets of a call, and conceals them as a receiver does.
///
/// Packets of `packetSeconds` 0.005…0.12 s are lost in runs, by Gilbert's model: `lossPercent` 0…90 of them on average, in
/// runs of `burstPackets` 1…50 on average. The `concealment` is one of three. `silence` adds nothing. `repeat` plays the last
/// packet again, 3 dB lower each time. `pitch` plays the last period of the signal again and fades to silence within 60 ms,
/// as ITU-T G.711 Appendix I does. None stretches time. Stores the share of lost packets as `lostFraction`.
///
/// E. N. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal 39, 1960.
package struct PacketLoss: Degradation {
    package enum Concealment: String, Codable, Hashable, Sendable, CaseIterable {
        case silence
        case `repeat`
        case pitch
    }

    package static let name = "packetLoss"
    package static let parameters = [
        Parameter("lossPercent", .number(0...90), milder: .down(to: 0, by: .difference(1))),
        Parameter(
            "burstPackets", .number(1...50, unit: "packets"), ifAbsent: .value(1),
            milder: .down(to: 1, by: .ratio(1.2))),
        Parameter("packetSeconds", .number(0.005...0.12), ifAbsent: .value(0.02), milder: .never),
        Parameter("concealment", .choice(Concealment.allCases.map(\.rawValue)), ifAbsent: .value("pitch")),
        .seed,
    ]

    /// The periods of voices, 66 to 400 Hz.
    private static let periodSeconds = 0.0025...0.015

    package var lossPercent: Double
    package var burstPackets: Double
    package var packetSeconds: Double
    package var concealment: Concealment
    package var seed: UInt64

    package init(
        lossPercent: Double, burstPackets: Double = 1, packetSeconds: Double = 0.02,
        concealment: Concealment = .pitch, seed: UInt64
    ) {
        self.lossPercent = lossPercent
        self.burstPackets = burstPackets
        self.packetSeconds = packetSeconds
        self.concealment = concealment
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let length = max(1, Int(bounded: (packetSeconds * Double(clip.audio.sampleRate)).rounded()))
        let count = clip.audio.frameCount
        let rate = Double(clip.audio.sampleRate)
        let lost = lostPackets((count + length - 1) / length)
        var start = 0
        while let first = lost[start...].firstIndex(of: true) {
            let next = lost[first...].firstIndex(of: false) ?? lost.count
            let gap = first * length..<min(next * length, count)
            clip.audio.changeChannels { conceal(gap, of: $0, packet: length, sampleRate: rate) }
            start = next
        }
        clip.measurements["lostFraction"] = Double(lost.count(where: { $0 })) / Double(lost.count)
    }

    private func lostPackets(_ count: Int) -> [Bool] {
        var generator = SeededGenerator(seed: seed, Self.name)
        let loss = lossPercent / 100
        let ends = 1 / burstPackets
        let begins = min(1, loss / (1 - loss) * ends)
        var isLost = generator.unit() < loss
        return (0..<count).map { _ in
            defer { isLost = generator.unit() < (isLost ? 1 - ends : begins) }
            return isLost
        }
    }

    private func conceal(
        _ gap: Range<Int>, of plane: UnsafeMutableBufferPointer<Float>, packet: Int, sampleRate: Double
    ) {
        switch concealment {
        case .silence: for frame in gap { plane[frame] = 0 }
        case .repeat:
            for frame in gap {
                plane[frame] =
                    frame >= packet ? plane[frame - packet] * Float(Decibels.amplitudeRatio(-3)) : 0
            }
        case .pitch:
            guard let period = Self.period(before: gap.lowerBound, of: plane, sampleRate: sampleRate) else {
                for frame in gap { plane[frame] = 0 }
                return
            }
            let after = (0..<min(period / 4, plane.count - gap.upperBound)).map { plane[gap.upperBound + $0] }
            // One fifth is lost in each 10 ms after the first.
            func gain(_ frame: Int) -> Float {
                Float(min(max(1 - (Double(frame - gap.lowerBound) / sampleRate / 0.01 - 1) * 0.2, 0), 1))
            }
            for frame in gap.lowerBound..<gap.upperBound + after.count {
                plane[frame] = plane[frame - period]
            }
            for frame in gap { plane[frame] *= gain(frame) }
            // The signal that returns is faded in over a quarter of a period.
            for (index, sample) in after.enumerated() {
                let share = Float(index + 1) / Float(after.count + 1)
                let frame = gap.upperBound + index
                plane[frame] = share * sample + (1 - share) * gain(frame) * plane[frame]
            }
        }
    }

    /// The lag with which the last 20 ms before `end` resemble what is before them most; nil without so much signal.
    private static func period(
        before end: Int, of plane: UnsafeMutableBufferPointer<Float>, sampleRate: Double
    ) -> Int? {
        let window = Int(bounded: 0.02 * sampleRate)
        let shortest = Int(bounded: periodSeconds.lowerBound * sampleRate)
        let lags = shortest...Int(bounded: periodSeconds.upperBound * sampleRate)
        guard shortest > 0, end >= window + lags.upperBound else { return nil }
        func likeness(_ lag: Int) -> Float {
            var (product, energy): (Float, Float) = (0, 1e-12)
            for frame in end - window..<end {
                product += plane[frame] * plane[frame - lag]
                energy += plane[frame - lag] * plane[frame - lag]
            }
            return product / energy.squareRoot()
        }
        return lags.map { ($0, likeness($0)) }.max { $0.1 < $1.1 }?.0
    }
}
