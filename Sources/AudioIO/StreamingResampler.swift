import AudioCore
internal import CSampleRate

/// Changes the sample rate of one channel that arrives block by block.
///
/// libsamplerate interpolates after J. O. Smith, "Digital Audio Resampling", 2002. There is no delay: output sample k is
/// the input at time k / ratio. The input is taken as silent before its first and after its last sample. The division
/// into blocks does not change a bit of the output.
package struct StreamingResampler: ~Copyable {
    package enum Quality: Sendable {
        /// 144 dB signal-to-noise ratio, 97 % of the band kept.
        case best
        /// 121 dB signal-to-noise ratio, 90 % of the band kept.
        case medium
        /// 97 dB signal-to-noise ratio, 80 % of the band kept.
        case fastest
    }

    static let ratios = 1.0 / 256...256.0

    private let state: OpaquePointer
    private let ratio: Double
    private var consumed = 0
    private var produced = 0
    private var block: [Float]

    /// Prepares for `ratio` = output rate / input rate, from 1/256 to 256.
    /// - Throws: ``ResamplerError`` if the ratio is out of range.
    package init(ratio: Double, quality: Quality = .best) throws(ResamplerError) {
        guard Self.ratios.contains(ratio) else {
            throw ResamplerError("the rate ratio \(ratio) is not within 1/256...256")
        }
        let kind =
            switch quality {
            case .best: SRC_SINC_BEST_QUALITY
            case .medium: SRC_SINC_MEDIUM_QUALITY
            case .fastest: SRC_SINC_FASTEST
            }
        var error: Int32 = 0
        guard let state = src_new(Int32(kind), 1, &error) else {
            throw ResamplerError(String(cString: src_strerror(error)))
        }
        self.state = state
        self.ratio = ratio
        block = [Float](repeating: 0, count: 4096)
    }

    deinit { src_delete(state) }

    /// Takes the next input and appends the output that it completes.
    package mutating func process(_ input: UnsafeBufferPointer<Float>, into output: inout [Float]) {
        consumed += input.count
        run(input, into: &output)
    }

    package mutating func process(_ input: [Float], into output: inout [Float]) {
        input.withUnsafeBufferPointer { process($0, into: &output) }
    }

    /// Appends the rest, for a total of `(input count · ratio).rounded()` samples, and resets the resampler.
    package mutating func finish(into output: inout [Float]) {
        let total = Int(bounded: (Double(consumed) * ratio).rounded())
        let silence = [Float](repeating: 0, count: 1024)
        // The filter needs silence after the last input.
        while produced < total {
            silence.withUnsafeBufferPointer { run($0, into: &output) }
        }
        output.removeLast(produced - total)
        src_reset(state)
        consumed = 0
        produced = 0
    }

    private mutating func run(_ input: UnsafeBufferPointer<Float>, into output: inout [Float]) {
        var data = SRC_DATA()
        data.src_ratio = ratio
        var rest = input
        repeat {
            let made = block.withUnsafeMutableBufferPointer { block in
                data.data_in = rest.baseAddress
                data.input_frames = rest.count
                data.data_out = block.baseAddress
                data.output_frames = block.count
                let status = src_process(state, &data)
                precondition(status == 0, "libsamplerate: \(String(cString: src_strerror(status)))")
                output.append(contentsOf: block[..<data.output_frames_gen])
                return data.output_frames_gen
            }
            produced += made
            rest = UnsafeBufferPointer(rebasing: rest[data.input_frames_used...])
            if made == 0, data.input_frames_used == 0 { break }
        } while !rest.isEmpty || data.output_frames_gen == block.count
    }
}
