import AudioCore

/// Halves the rate of one channel, block by block: output m is at input 2m exactly.
///
/// The output does not depend on how the input is cut into blocks.
struct HalfBandStage: Sendable {
    /// The taps on one side of the centre, each in all lanes.
    private let taps: [SIMD8<Float>]
    /// The input from 2·taps.count samples before the next output's centre.
    private var input: [Float]
    private var even: [Float] = []
    private var odd: [Float] = []
    private static let lanes = 8

    init(_ filter: HalfBandFilter) {
        taps = filter.taps.map { SIMD8(repeating: $0) }
        input = [Float](repeating: 0, count: 2 * filter.taps.count)
    }

    /// Takes `block` and appends all output that depends on no later sample.
    mutating func append(_ block: UnsafeBufferPointer<Float>, to output: inout [Float]) {
        input.append(contentsOf: block)
        guard input.count >= 4 * taps.count else { return }
        let count = (input.count - 4 * taps.count) / 2 + 1
        deinterleave((count + 2 * taps.count + Self.lanes) / Self.lanes * Self.lanes)
        let start = output.count
        // Whole vectors first; the excess is removed below.
        let rounded = (count + Self.lanes - 1) / Self.lanes * Self.lanes
        output.append(contentsOf: repeatElement(0, count: rounded))
        output.withUnsafeMutableBytes { output in
            guard let output = output.baseAddress else { return }
            filter(into: output + 4 * start, count: rounded)
        }
        output.removeLast(rounded - count)
        input.removeFirst(2 * count)
    }

    /// Splits the input into even and odd samples, each with silence up to `count` and a vector more.
    private mutating func deinterleave(_ count: Int) {
        if even.count < count + Self.lanes {
            even = [Float](repeating: 0, count: count + Self.lanes)
            odd = even
        }
        let pairs = min(input.count / 2, count)
        input.withUnsafeBufferPointer { input in
            even.withUnsafeMutableBufferPointer { even in
                odd.withUnsafeMutableBufferPointer { odd in
                    guard let input = input.baseAddress, let even = even.baseAddress,
                        let odd = odd.baseAddress
                    else { return }
                    for pair in 0..<pairs {
                        even[pair] = input[2 * pair]
                        odd[pair] = input[2 * pair + 1]
                    }
                }
            }
        }
    }

    private func filter(into output: UnsafeMutableRawPointer, count: Int) {
        even.withUnsafeBytes { even in
            odd.withUnsafeBytes { odd in
                taps.withUnsafeBufferPointer { taps in
                    guard let even = even.baseAddress, let odd = odd.baseAddress else { return }
                    let centre = 4 * taps.count
                    var byte = 0
                    while byte < 4 &* count {
                        var before = odd + (byte &+ centre &- 4)
                        var after = odd + (byte &+ centre)
                        var sum = (even + (byte &+ centre)).loadUnaligned(as: SIMD8<Float>.self) * 0.5
                        for tap in taps {
                            let pair =
                                before.loadUnaligned(as: SIMD8<Float>.self)
                                + after.loadUnaligned(as: SIMD8<Float>.self)
                            sum += pair * tap
                            before -= 4
                            after += 4
                        }
                        (output + byte).storeBytes(of: sum, as: SIMD8<Float>.self)
                        byte &+= 4 &* Self.lanes
                    }
                }
            }
        }
    }
}

/// The taps of a filter that halves a rate and passes frequencies below `pass` hertz: every other tap is zero.
///
/// A sinc under a Kaiser window (Oppenheim and Schafer, "Discrete-Time Signal Processing", section 7.5.3). It rejects
/// frequencies that would alias below `pass` by at least 75 dB.
struct HalfBandFilter: Sendable {
    /// Tap j belongs to the samples 2j + 1 before and after the centre, whose own tap is 0.5.
    let taps: [Float]

    // Kaiser's formulas overestimate the rejection of such short filters by some decibels.
    private static let rejectionDecibels = 85.0

    init(inputRate: Double, pass: Double) {
        let transition = 0.5 - 2 * pass / inputRate
        let length = (Self.rejectionDecibels - 8) / (2.285 * 2 * .pi * transition)
        let count = max(2, Int(((length + 1) / 4).rounded(.up)))
        let beta = 0.1102 * (Self.rejectionDecibels - 8.7)
        let window = KaiserWindow(beta: beta)
        let taps = (0..<count).map { tap -> Double in
            let distance = Double(2 * tap + 1)
            return sin(.pi * distance / 2) / (.pi * distance) * window(distance / Double(2 * count))
        }
        let sum = taps.reduce(0, +)
        self.taps = taps.map { Float($0 / sum / 4) }
    }
}
