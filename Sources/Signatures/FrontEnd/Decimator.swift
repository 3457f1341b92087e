internal import CKernels

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
        guard let last = halvings.indices.last else {
            input.append(contentsOf: block)
            return
        }
        guard last > 0 else { return halvings[0].append(block, to: &input) }
        halved.removeAll(keepingCapacity: true)
        halvings[0].append(block, to: &halved)
        for stage in 1..<last {
            halvedAgain.removeAll(keepingCapacity: true)
            halved.withUnsafeBufferPointer { halvings[stage].append($0, to: &halvedAgain) }
            swap(&halved, &halvedAgain)
        }
        halved.withUnsafeBufferPointer { halvings[last].append($0, to: &input) }
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
        let offset = 1 - filter.tapCount / 2 - inputStart
        input.withUnsafeBufferPointer { input in
            filter.taps.withUnsafeBytes { taps in
                output.withUnsafeMutableBufferPointer { output in
                    guard let input = input.baseAddress, let output = output.baseAddress else { return }
                    var phases = earshot_phases(
                        taps: taps.baseAddress?.assumingMemoryBound(to: Float.self),
                        vectors: filter.tapCount / 8,
                        interpolation: filter.interpolation, decimation: filter.decimation,
                        phase_count: filter.phaseCount)
                    earshot_resample(output + start, count, input + (inputTime + offset), phase, &phases)
                }
            }
        }
        let (steps, rest) = (phase + count * filter.decimation).quotientAndRemainder(
            dividingBy: filter.interpolation)
        inputTime += steps
        phase = rest
        outputCount += count
        let unneeded = min(input.count, inputTime + offset)
        input.removeFirst(unneeded)
        inputStart += unneeded
    }
}
