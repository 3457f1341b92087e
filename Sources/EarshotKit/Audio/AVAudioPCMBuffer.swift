import AudioCore
import AudioIO
import Glibc

/// A buffer of linear PCM, silent at first.
///
/// Deinterleaved channels follow one another, each `frameCapacity` samples long. Sample pointers are valid as
/// long as the buffer. Not thread-safe.
public final class AVAudioPCMBuffer: AVAudioBuffer, NSCopying {
    /// The maximum number of frames.
    public let frameCapacity: AVAudioFrameCount
    /// The number of valid frames, 0 at first; more than ``frameCapacity`` is a programming error.
    public var frameLength: AVAudioFrameCount = 0 {
        didSet {
            precondition(
                frameLength <= frameCapacity,
                "frame length \(frameLength) exceeds the capacity of \(frameCapacity) frames")
        }
    }
    private let bytes: UnsafeMutableRawPointer
    private let byteCount: Int
    /// One pointer per channel, kept because programs hold on to the list.
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>

    /// Makes a silent buffer; nil if the format is not of a common type or memory is short.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard let sampleBytes = format.commonFormat.sampleBytes else { return nil }
        let channelCount = Int(format.channelCount)
        // Below 2^32 · 64 · 8: no overflow. The system zeroes pages on first use.
        byteCount = Int(frameCapacity) * channelCount * sampleBytes
        guard let bytes = calloc(max(1, byteCount), 1) else { return nil }
        self.bytes = bytes
        self.frameCapacity = frameCapacity
        channels = .allocate(capacity: channelCount)
        let channelBytes = format.isInterleaved ? sampleBytes : Int(frameCapacity) * sampleBytes
        for channel in 0..<channelCount {
            (channels + channel).initialize(to: bytes + channel * channelBytes)
        }
        super.init(format: format)
    }

    deinit {
        channels.deallocate()
        free(bytes)
    }

    /// The distance between two samples of a channel: 1, or the channel count if interleaved.
    public var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

    /// The samples of each channel; nil unless they are 32-bit floats.
    public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
        channelData(.pcmFormatFloat32)
    }

    /// The samples of each channel; nil unless they are 16-bit integers.
    public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { channelData(.pcmFormatInt16) }

    /// The samples of each channel; nil unless they are 32-bit integers.
    public var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { channelData(.pcmFormatInt32) }

    /// A deep copy with the same format, capacity and length.
    public func copy(with zone: NSZone? = nil) -> Any {
        guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
            preconditionFailure("no memory for a copy of \(frameCapacity) frames")
        }
        copy.frameLength = frameLength
        copy.bytes.copyMemory(from: bytes, byteCount: byteCount)
        return copy
    }

    var doubleChannelData: UnsafePointer<UnsafeMutablePointer<Double>>? { channelData(.pcmFormatFloat64) }

    private func channelData<Sample>(
        _ kind: AVAudioCommonFormat
    ) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
        guard format.commonFormat == kind else { return nil }
        // A list of raw pointers has the layout of a list of typed pointers.
        return UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
    }
}

/// A buffer of audio; ``AVAudioPCMBuffer`` is the only kind.
open class AVAudioBuffer: NSObject {
    /// The format of the samples.
    public let format: AVAudioFormat

    init(format: AVAudioFormat) { self.format = format }
}

extension AVAudioPCMBuffer {
    /// The valid frames as planes of floats; integers scale to −1…1; non-finite samples stay as they are.
    /// - Throws: `SHError` 100 if the rate is not a whole number from 1,000 to 768,000 Hz.
    package func samples() throws -> AudioBuffer {
        guard let rate = Int(exactly: format.sampleRate), AudioFile.sampleRates.contains(rate) else {
            throw SHError(
                .invalidAudioFormat,
                message: "the audio has \(format.sampleRate) Hz; expected whole hertz from "
                    + "\(AudioFile.sampleRates.lowerBound) to \(AudioFile.sampleRates.upperBound)")
        }
        return AudioBuffer(samples: planes(), sampleRate: rate, channelCount: Int(format.channelCount))
    }

    /// The valid frames as floats, one channel after another.
    func planes() -> [Float] { planes(0..<Int(frameLength)) }

    /// Some of the valid frames as floats, one channel after another.
    func planes(_ frames: Range<Int>) -> [Float] {
        if let data = floatChannelData { return planes(of: data, frames) { $0 } }
        if let data = int16ChannelData { return planes(of: data, frames) { Float($0) * 0x1p-15 } }
        if let data = int32ChannelData { return planes(of: data, frames) { Float($0) * 0x1p-31 } }
        if let data = doubleChannelData { return planes(of: data, frames) { Float($0) } }
        return []
    }

    /// Writes planes of `frames` floats each at frame `start` and extends the length to their end.
    ///
    /// Integers are rounded and clipped. NaN becomes 0.
    func write(_ planes: UnsafeBufferPointer<Float>, frames: Int, at start: Int) {
        precondition(start + frames <= Int(frameCapacity), "\(frames) frames do not fit at \(start)")
        if let data = floatChannelData { write(planes, frames, start, to: data) { $0 } }
        if let data = doubleChannelData { write(planes, frames, start, to: data) { Double($0) } }
        if let data = int16ChannelData {
            write(planes, frames, start, to: data) { Int16(Self.clipped($0, bits: 16)) }
        }
        if let data = int32ChannelData {
            write(planes, frames, start, to: data) { Int32(Self.clipped($0, bits: 32)) }
        }
        frameLength = AVAudioFrameCount(start + frames)
    }

    private func planes<Sample>(
        of data: UnsafePointer<UnsafeMutablePointer<Sample>>, _ range: Range<Int>, _ float: (Sample) -> Float
    ) -> [Float] {
        let (frames, stride) = (range.count, stride)
        let count = frames * Int(format.channelCount)
        return [Float](unsafeUninitializedCapacity: count) { planes, initialised in
            for channel in 0..<Int(format.channelCount) {
                let source = data[channel] + range.lowerBound * stride
                for frame in 0..<frames {
                    planes.initializeElement(at: channel * frames + frame, to: float(source[frame * stride]))
                }
            }
            initialised = count
        }
    }

    private func write<Sample>(
        _ planes: UnsafeBufferPointer<Float>, _ frames: Int, _ start: Int,
        to data: UnsafePointer<UnsafeMutablePointer<Sample>>, _ sample: (Float) -> Sample
    ) {
        let stride = stride
        for channel in 0..<Int(format.channelCount) {
            let target = data[channel] + start * stride
            for frame in 0..<frames { target[frame * stride] = sample(planes[channel * frames + frame]) }
        }
    }

    private static func clipped(_ sample: Float, bits: Int) -> Double {
        let scale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        let level = (Double(sample) * scale).rounded()
        return level.isNaN ? 0 : min(scale - 1, max(-scale, level))
    }
}
