/// Where a callee leaves an error for callers that look for one; Foundation on Linux has no such name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// What an input block says of the buffer it gives.
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// The buffer holds audio.
    case haveData = 0
    /// There is no audio at present.
    case noDataNow = 1
    /// There will be no more audio.
    case endOfStream = 2
}

/// What came of a conversion.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The output holds audio: as much as fits, or the last of the stream.
    case haveData = 0
    /// The input had too little at present; the output holds what there was.
    case inputRanDry = 1
    /// The stream has ended and the output is empty.
    case endOfStream = 2
    /// The conversion failed.
    case error = 3
}

/// Gives a converter more input: takes the frames that are wanted, and a place for what it says of the buffer returned.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// Converts linear PCM: kind of sample, rate, channels and their order.
///
/// Samples pass as 32-bit floats; integers are rounded and clipped at their range. Rates are converted without delay, so
/// nothing is primed: output frame k is the input at time k / output rate, and in all `(frames · ratio).rounded()` frames
/// come out. Not safe to use from two threads at once.
public final class AVAudioConverter: NSObject {
    /// The format of the input.
    public let inputFormat: AVAudioFormat
    /// The format of the output.
    public let outputFormat: AVAudioFormat
    /// Whether one output channel is the mean of all input channels rather than the first of them; false at first.
    ///
    /// Setting it drops what has not come out yet, as ``reset()`` does.
    public var downmix = false {
        didSet {
            conversion = PlaneConversion(from: inputFormat, to: outputFormat, downmix: downmix) ?? conversion
            hasEnded = false
        }
    }

    private var conversion: PlaneConversion
    private var hasEnded = false

    /// Prepares the way from one format to another.
    ///
    /// Nil when either is no linear PCM of a common kind, or when the rates differ by more than a factor of 256.
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
        guard fromFormat.commonFormat != .otherFormat, toFormat.commonFormat != .otherFormat,
            let conversion = PlaneConversion(from: fromFormat, to: toFormat, downmix: false)
        else { return nil }
        inputFormat = fromFormat
        outputFormat = toFormat
        self.conversion = conversion
    }

    /// Starts afresh, for a new stream: what has not come out is dropped.
    public func reset() {
        conversion.reset()
        hasEnded = false
    }

    /// Fills `outputBuffer` with what becomes of the buffers that `inputBlock` gives.
    ///
    /// The block is called until the output is full, and its buffers are read before it is called again. A buffer without
    /// frames, or none, counts as no data at present. After the end of the stream the rest comes out as `haveData`, then
    /// `endOfStream` until ``reset()``, without a call of the block.
    ///
    /// - Returns: the status; when it is `error`, `outError` tells why: a buffer has another format than the converter, or
    ///   the output has no capacity.
    public func convert(
        to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus {
        do {
            let output = try pcm(outputBuffer, as: outputFormat, "output")
            output.frameLength = 0
            let wanted = Int(output.frameCapacity)
            guard wanted > 0 else {
                throw AVFAudioError(.invalidInputSize, message: "the output buffer has no capacity")
            }
            try fill(wanted, from: inputBlock)
            let count = min(wanted, conversion.readyFrames)
            move(count, to: output)
            if count == wanted { return .haveData }
            if hasEnded { return count > 0 ? .haveData : .endOfStream }
            return .inputRanDry
        } catch {
            outError?.pointee = error as NSError
            return .error
        }
    }

    /// Converts a buffer as a whole, rate included; what streams through the converter is not touched.
    /// - Throws: `AVFAudioError` when a buffer has another format than the converter, or the output is too small: it needs
    ///   `(frames · ratio).rounded()` frames.
    public func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
        let input = try pcm(inputBuffer, as: inputFormat, "input")
        let output = try pcm(outputBuffer, as: outputFormat, "output")
        guard let whole = PlaneConversion(from: inputFormat, to: outputFormat, downmix: downmix) else {
            throw AVFAudioError(
                .unsupportedFormat, message: "\(inputFormat) cannot be converted to \(outputFormat)")
        }
        whole.process(input.planes(), frames: Int(input.frameLength))
        whole.finish()
        let count = whole.readyFrames
        guard count <= Int(output.frameCapacity) else {
            throw AVFAudioError(
                .invalidInputSize,
                message: "\(count) frames come out, and the output has room for \(output.frameCapacity)")
        }
        output.frameLength = 0
        whole.take(count).withUnsafeBufferPointer { output.write($0, frames: count, at: 0) }
    }

    private func fill(_ wanted: Int, from inputBlock: AVAudioConverterInputBlock) throws {
        let ratio = outputFormat.sampleRate / inputFormat.sampleRate
        while !hasEnded, conversion.readyFrames < wanted {
            let packets = (Double(wanted - conversion.readyFrames) / ratio).rounded(.up)
            var status = AVAudioConverterInputStatus.haveData
            let buffer = inputBlock(AVAudioPacketCount(min(packets, Double(UInt32.max))), &status)
            switch status {
            case .endOfStream:
                hasEnded = true
                conversion.finish()
            case .haveData:
                guard let buffer else { return }
                let input = try pcm(buffer, as: inputFormat, "input")
                guard input.frameLength > 0 else { return }
                conversion.process(input.planes(), frames: Int(input.frameLength))
            case .noDataNow:
                return
            }
        }
    }

    private func move(_ count: Int, to output: AVAudioPCMBuffer) {
        conversion.take(count).withUnsafeBufferPointer { output.write($0, frames: count, at: 0) }
    }

    private func pcm(_ buffer: AVAudioBuffer, as format: AVAudioFormat, _ role: String) throws
        -> AVAudioPCMBuffer
    {
        guard let pcm = buffer as? AVAudioPCMBuffer, pcm.format == format else {
            throw AVFAudioError(
                .unsupportedFormat,
                message: "the \(role) buffer is \(buffer.format); the converter expects \(format)")
        }
        return pcm
    }
}
