/// Brings one channel from its own rate to the analysis rate, block by block.
///
/// Output sample n stands at input time n·M/L exactly: no delay. Output exists for every n
/// with n·M/L below the number of input samples; the signal is silent outside. How the input
/// is cut into blocks does not change a bit of the output.
package struct Decimator: Sendable {
    private let filter: DecimationFilter?
    private var input: [Float]
    /// Index into the whole input of `input[0]`.
    private var inputStart: Int
    private var inputEnd = 0
    private var inputTime = 0
    private var phase = 0

    /// Starts at `inputRate` hertz.
    package init(inputRate: Int, outputRate: Int) {
        if inputRate == outputRate {
            filter = nil
            input = []
            inputStart = 0
        } else {
            let filter = DecimationFilter.shared(from: inputRate)
            self.filter = filter
            input = [Float](repeating: 0, count: filter.tapCount / 2 - 1)
            inputStart = 1 - filter.tapCount / 2
        }
    }

    /// Takes `block` and appends all output that is determined by now to `output`.
    package mutating func append(_ block: UnsafeBufferPointer<Float>, to output: inout [Float]) {
        guard let filter else {
            output.append(contentsOf: block)
            return
        }
        input.append(contentsOf: block)
        inputEnd += block.count
        produce(filter, before: inputEnd - filter.tapCount / 2, to: &output)
    }

    /// Ends the input and appends what is left to `output`.
    package mutating func finish(to output: inout [Float]) {
        guard let filter else { return }
        input.append(contentsOf: repeatElement(0, count: filter.tapCount / 2))
        produce(filter, before: inputEnd, to: &output)
    }

    private mutating func produce(_ filter: DecimationFilter, before end: Int, to output: inout [Float]) {
        guard inputTime < end else { return }
        let tapCount = filter.tapCount
        let wholeStep = filter.decimation / filter.interpolation
        let partStep = filter.decimation % filter.interpolation
        let offset = 1 - tapCount / 2 - inputStart
        var time = inputTime
        var phase = self.phase
        input.withUnsafeBufferPointer { input in
            filter.taps.withUnsafeBufferPointer { taps in
                guard let input = input.baseAddress, let taps = taps.baseAddress else { return }
                output.reserveCapacity(
                    output.count + (end - time) * filter.interpolation / filter.decimation + 1)
                while time < end {
                    let samples = input + (time + offset)
                    if filter.interpolatesPhases {
                        let position = Float(phase) / Float(filter.interpolation) * Float(filter.phaseCount)
                        let row = min(Int(position), filter.phaseCount - 1)
                        let low = Self.dot(samples, taps + row * tapCount, tapCount)
                        let high = Self.dot(samples, taps + (row + 1) * tapCount, tapCount)
                        output.append(low + (high - low) * (position - Float(row)))
                    } else {
                        output.append(Self.dot(samples, taps + phase * tapCount, tapCount))
                    }
                    time += wholeStep
                    phase += partStep
                    if phase >= filter.interpolation {
                        phase -= filter.interpolation
                        time += 1
                    }
                }
            }
        }
        inputTime = time
        self.phase = phase
        let unneeded = min(input.count, time + offset)
        input.removeFirst(unneeded)
        inputStart += unneeded
    }

    /// The inner product of `count` values, a multiple of 16, in four interleaved sums.
    @inline(__always)
    private static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
        let rawA = UnsafeRawPointer(a)
        let rawB = UnsafeRawPointer(b)
        var first = SIMD8<Float>(repeating: 0)
        var second = SIMD8<Float>(repeating: 0)
        var byte = 0
        while byte < count * 4 {
            first +=
                rawA.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
                * rawB.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
            second +=
                rawA.loadUnaligned(fromByteOffset: byte + 32, as: SIMD8<Float>.self)
                * rawB.loadUnaligned(fromByteOffset: byte + 32, as: SIMD8<Float>.self)
            byte += 64
        }
        return (first + second).sum()
    }
}
