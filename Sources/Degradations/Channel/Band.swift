import AudioCore
import SignalProcessing

/// Passes a band of frequencies, as a telephone or a medium-wave radio does.
///
/// `lowHertz` and `highHertz` 1…200000 Hz are the edges, 6 dB down. Each may be left out. `preset` names a band instead:
/// `phone` 300…3400 Hz, `wideband` 50…7000 Hz (the bands of ITU-T P.48 and G.722), `am` 50…5000 Hz.
/// At order 4 an edge is 3 dB down at 0.895 times `highHertz` and at 1.117 times `lowHertz`: `phone` at 335 and 3044 Hz, where
/// half the sample rate is far above.
/// Butterworth filters of even `order` 2…12 run forward and backward. The slope is 12·order dB an octave, without delay.
package struct Band: Degradation {
    package enum Preset: String, Codable, Hashable, Sendable, CaseIterable {
        case phone
        case wideband
        case am

        package var hertz: ClosedRange<Double> {
            switch self {
            case .phone: 300...3400
            case .wideband: 50...7000
            case .am: 50...5000
            }
        }
    }

    package static let name = "band"
    package static let parameters = [
        Parameter("preset", .choice(Preset.allCases.map(\.rawValue)), ifAbsent: .optional),
        Parameter(
            "lowHertz", .number(1...200_000), ifAbsent: .optional, milder: .down(to: 20, by: .ratio(1.05))),
        Parameter(
            "highHertz", .number(1...200_000), ifAbsent: .optional,
            milder: .up(to: 20_000, by: .ratio(1.05))),
        Parameter("order", .integer(2...12), ifAbsent: .value(4), milder: .never),
    ]

    package var lowHertz: Double?
    package var highHertz: Double?
    package var order: Int

    package init(lowHertz: Double? = nil, highHertz: Double? = nil, order: Int = 4) {
        self.lowHertz = lowHertz
        self.highHertz = highHertz
        self.order = order
    }

    package init(_ preset: Preset, order: Int = 4) {
        self.init(lowHertz: preset.hertz.lowerBound, highHertz: preset.hertz.upperBound, order: order)
    }

    private struct Written: Decodable {
        let preset: Preset?
        let lowHertz: Double?
        let highHertz: Double?
        let order: Int
    }

    package init(from decoder: any Decoder) throws {
        let written = try Written(from: decoder)
        switch (written.preset, written.lowHertz, written.highHertz) {
        case (let preset?, nil, nil): self.init(preset, order: written.order)
        case (nil, let low, let high) where low != nil || high != nil:
            self.init(lowHertz: low, highHertz: high, order: written.order)
        default:
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected preset, or one or both of lowHertz and highHertz"))
        }
    }

    package func validate() throws {
        try validateParameters()
        guard order.isMultiple(of: 2) else {
            throw DegradationError.invalid("\(Self.name): order \(order) is not even")
        }
        if let lowHertz, let highHertz, lowHertz >= highHertz {
            throw DegradationError.invalid("\(Self.name): \(lowHertz) Hz is not below \(highHertz) Hz")
        }
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let rate = Double(clip.audio.sampleRate)
        if let lowHertz {
            guard lowHertz < 0.49 * rate else {
                throw DegradationError.unsuitable(
                    "\(Self.name): nothing above \(lowHertz) Hz exists at \(rate) Hz")
            }
            clip.audio = clip.audio.filteredBothWays(
                .butterworthHighPass(order: order, frequency: lowHertz, sampleRate: rate))
        }
        if let highHertz, highHertz < 0.49 * rate {
            clip.audio = clip.audio.filteredBothWays(
                .butterworthLowPass(order: order, frequency: highHertz, sampleRate: rate))
        }
    }
}
