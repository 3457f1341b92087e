/// An error out-parameter; Foundation on Linux lacks this name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The state of the input, as the input block reports it.
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// The returned buffer holds audio.
    case haveData = 0
    /// No audio is available yet.
    case noDataNow = 1
    /// No more audio will follow.
    case endOfStream = 2
}

/// The result of a conversion.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// The output is full, or holds the end of the stream.
    case haveData = 0
    /// The input ran out. The output holds the frames available so far.
    case inputRanDry = 1
    /// The stream has ended and the output is empty.
    case endOfStream = 2
    /// The conversion failed.
    case error = 3
}

/// A quality of encoding or conversion.
public enum AVAudioQuality: Int, Sendable {
    /// The lowest.
    case min = 0
    /// A low one.
    case low = 32
    /// A medium one.
    case medium = 64
    /// A high one.
    case high = 96
    /// The highest.
    case max = 127
}

/// Supplies input to a converter; it gets the number of frames needed and stores its status.
public typealias AVAudioConverterInputBlock = (
    AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// Converts linear PCM between sample types, rates and channel layouts.
///
/// Samples pass through as 32-bit floats. Integers are rounded and clipped. Rate conversion adds no delay:
/// output frame k is the input at time k / output rate. The total is `(frames · ratio).rounded()` frames. Not
/// thread-safe.
public final class AVAudioConverter: NSObject {
    /// The format of the input.
    public let inputFormat: AVAudioFormat
    /// The format of the output.
    public let outputFormat: AVAudioFormat
    /// Whether mono output is the mean of all input channels instead of the first; default: false.
    ///
    /// Setting it drops pending output, as ``reset()`` does.
    public var downmix = false {
        didSet {
            conversion = PlaneConversion(from: inputFormat, to: outputFormat, downmix: downmix) ?? conversion
            hasEnded = false
        }
    }

    /// The quality of the rate conversion, a value of ``AVAudioQuality``; has no effect, as it is always the highest.
    public var sampleRateConverterQuality = AVAudioQuality.max.rawValue

    private var conversion: PlaneConversion
    private var hasEnded = false

    /// Makes a converter between two formats.
    ///
    /// Nil if a format is no common linear PCM, or the rates differ by more than a factor of 256.
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
        guard fromFormat.commonFormat != .otherFormat, toFormat.commonFormat != .otherFormat,
            let conversion = PlaneConversion(from: fromFormat, to: toFormat, downmix: false)
        else { return nil }
        inputFormat = fromFormat
        outputFormat = toFormat
        self.conversion = conversion
    }

    /// Drops pending output and starts a new stream.
    public func reset() {
        conversion.reset()
        hasEnded = false
    }

    /// Fills `outputBuffer` from the buffers that `inputBlock` supplies.
    ///
    /// The block is called until the output is full. Its buffers are read before the next call. An empty or
    /// missing buffer counts as `noDataNow`. After `endOfStream` the remaining frames return as `haveData`.
    /// Further calls return `endOfStream` without calling the block, until ``reset()``.
    ///
    /// - Returns: `error` and `outError` if a buffer has the wrong format or the output has no capacity.
    @discardableResult
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
            move(count, from: conversion, to: output)
            if count == wanted { return .haveData }
            if hasEnded { return count > 0 ? .haveData : .endOfStream }
            return .inputRanDry
        } catch {
            outError?.pointee = error as NSError
            return .error
        }
    }

    /// Converts one whole buffer, rate included, apart from the stream.
    /// - Throws: `AVFAudioError` if a format is wrong, or the output cannot hold `(frames · ratio).rounded()`
    ///   frames.
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
                message: "the output needs room for \(count) frames; its capacity is \(output.frameCapacity)")
        }
        output.frameLength = 0
        move(count, from: whole, to: output)
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
            case .noDataNow: return
            }
        }
    }

    private func move(_ count: Int, from conversion: PlaneConversion, to output: AVAudioPCMBuffer) {
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
