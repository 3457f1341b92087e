/// Converts one channel to a rate of analysis, block by block.
///
/// Output sample n is at n / (output rate) exactly: there is no delay. The output is as long as the input, and silence
/// surrounds the signal. The output does not depend on how the input is cut into blocks.
package struct Decimator: Sendable {
    private let inputRate: Int
    private let outputRate: Int
    private let filter: DecimationFilter?
    private var halvings: [HalfBandStage] = []
    private var halved: [Float] = []
    private var halvedAgain: [Float] = []
    /// The samples after the half-band stages that the sinc still needs, from `inputStart` on.
    private var input: [Float] = []
    private var inputStart = 0
    private var inputTime = 0
    private var phase = 0
    private var frameCount = 0
    private var outputCount = 0

    /// How long a half-band stage may ring before the first sample, in samples after the stages.
    private static let leadIn = 16

    package init(inputRate: Int, outputRate: Int) {
        self.inputRate = inputRate
        self.outputRate = outputRate
        guard inputRate != outputRate else {
            filter = nil
            return
        }
        let filter = DecimationFilter.shared(from: inputRate, to: outputRate)
        self.filter = filter
        halvings = filter.halvings.map(HalfBandStage.init)
        let leadIn = halvings.isEmpty ? 0 : Self.leadIn
        let silence = max(0, filter.tapCount / 2 - 1 - leadIn)
        input = [Float](repeating: 0, count: silence)
        inputStart = -silence - leadIn
        feedSilence(leadIn << halvings.count)
    }

    /// Takes `block` and appends all output that depends on no later sample.
    package mutating func append(_ block: UnsafeBufferPointer<Float>, to output: inout [Float]) {
        guard let filter else {
            output.append(contentsOf: block)
            return
        }
        frameCount += block.count
        feed(block)
        produce(filter, atMost: .max, to: &output)
    }

    package mutating func finish(to output: inout [Float]) {
        guard let filter else { return }
        feedSilence((filter.tapCount / 2 + Self.leadIn + 1) << halvings.count)
        let total = (frameCount * outputRate + inputRate - 1) / inputRate
        produce(filter, atMost: total - outputCount, to: &output)
    }

    private mutating func feedSilence(_ count: Int) {
        [Float](repeating: 0, count: count).withUnsafeBufferPointer { feed($0) }
    }

    private mutating func feed(_ block: UnsafeBufferPointer<Float>) {
        guard !halvings.isEmpty else {
            input.append(contentsOf: block)
            return
        }
        halved.removeAll(keepingCapacity: true)
        halvings[0].append(block, to: &halved)
        for stage in halvings.indices.dropFirst() {
            halvedAgain.removeAll(keepingCapacity: true)
            halved.withUnsafeBufferPointer { halvings[stage].append($0, to: &halvedAgain) }
            swap(&halved, &halvedAgain)
        }
        input.append(contentsOf: halved)
    }

    private mutating func produce(_ filter: DecimationFilter, atMost most: Int, to output: inout [Float]) {
        // The last sample that the sinc reaches from `time` is time + tapCount / 2.
        let end = inputStart + input.count - filter.tapCount / 2
        guard inputTime < end else { return }
        let determined =
            ((end - inputTime) * filter.interpolation - phase + filter.decimation - 1) / filter.decimation
        let count = min(determined, most)
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        let interpolation = filter.interpolation
        let wholeStep = filter.decimation / filter.interpolation
        let partStep = filter.decimation % filter.interpolation
        let offset = 1 - filter.tapCount / 2 - inputStart
        var time = inputTime
        var phase = self.phase
        input.withUnsafeBufferPointer { input in
            filter.taps.withUnsafeBufferPointer { taps in
                output.withUnsafeMutableBufferPointer { output in
                    guard let input = input.baseAddress, let taps = taps.baseAddress else { return }
                    for index in start..<(start + count) {
                        output[index] = Self.sample(filter, input + (time &+ offset), phase, taps)
                        time &+= wholeStep
                        phase &+= partStep
                        if phase >= interpolation {
                            phase &-= interpolation
                            time &+= 1
                        }
                    }
                }
            }
        }
        inputTime = time
        self.phase = phase
        outputCount += count
        let unneeded = min(input.count, time + offset)
        input.removeFirst(unneeded)
        inputStart += unneeded
    }

    /// The signal `phase` phases after the middle of `samples`.
    @inline(__always)
    private static func sample(
        _ filter: DecimationFilter, _ samples: UnsafePointer<Float>, _ phase: Int,
        _ taps: UnsafePointer<SIMD8<Float>>
    ) -> Float {
        let vectors = filter.tapCount / 8
        guard filter.interpolatesPhases else { return dot(samples, taps + phase &* vectors, vectors) }
        let position = Float(phase) / Float(filter.interpolation) * Float(filter.phaseCount)
        let row = min(Int(position), filter.phaseCount - 1)
        let low = dot(samples, taps + row * vectors, vectors)
        let high = dot(samples, taps + (row + 1) * vectors, vectors)
        return low + (high - low) * (position - Float(row))
    }

    /// The inner product of `vectors` times 8 values.
    @inline(__always)
    private static func dot(
        _ samples: UnsafePointer<Float>, _ taps: UnsafePointer<SIMD8<Float>>, _ vectors: Int
    ) -> Float {
        let samples = UnsafeRawPointer(samples)
        let taps = UnsafeRawPointer(taps)
        let bytes = 32 &* vectors
        let pairs = bytes &- 32
        var first = SIMD8<Float>.zero
        var second = SIMD8<Float>.zero
        var byte = 0
        while byte < pairs {
            first +=
                (samples + byte).loadUnaligned(as: SIMD8<Float>.self)
                * (taps + byte).load(as: SIMD8<Float>.self)
            second +=
                (samples + (byte &+ 32)).loadUnaligned(as: SIMD8<Float>.self)
                * (taps + (byte &+ 32)).load(as: SIMD8<Float>.self)
            byte &+= 64
        }
        if byte < bytes {
            first +=
                (samples + byte).loadUnaligned(as: SIMD8<Float>.self)
                * (taps + byte).load(as: SIMD8<Float>.self)
        }
        return (first + second).sum()
    }
}
