import Glibc

/// Samples of linear PCM in memory, up to `frameCapacity` frames of them.
///
/// Deinterleaved channels lie one after another, each `frameCapacity` samples long; interleaved ones frame by frame.
/// New buffers are silent. Pointers to samples are valid as long as the buffer. Not safe to use from two threads at once.
public final class AVAudioPCMBuffer: AVAudioBuffer, NSCopying {
    /// The frames that fit.
    public let frameCapacity: AVAudioFrameCount
    /// The frames that are valid, 0 at first; setting more than `frameCapacity` is a mistake that ends the program.
    public var frameLength: AVAudioFrameCount = 0 {
        didSet {
            precondition(
                frameLength <= frameCapacity,
                "frame length \(frameLength) exceeds the capacity of \(frameCapacity) frames")
        }
    }
    private let bytes: UnsafeMutableRawPointer
    private let byteCount: Int
    /// One pointer for each channel; kept here because programs hold on to the list.
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>

    /// Makes a silent buffer; nil when the format is not of a common kind or memory does not suffice.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard let sampleBytes = format.commonFormat.sampleBytes else { return nil }
        let channelCount = Int(format.channelCount)
        // Below 2^32 · 64 · 8: no overflow. The system gives zeroed pages as they are touched.
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

    /// The distance between two samples of a channel: 1, or the number of channels when they are interleaved.
    public var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

    /// The channels' samples when they are 32-bit floats; nil otherwise.
    public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
        channelData(.pcmFormatFloat32)
    }

    /// The channels' samples when they are 16-bit integers; nil otherwise.
    public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { channelData(.pcmFormatInt16) }

    /// The channels' samples when they are 32-bit integers; nil otherwise.
    public var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { channelData(.pcmFormatInt32) }

    /// A copy with samples of its own: a buffer with the same format, capacity and length.
    public func copy(with zone: NSZone? = nil) -> Any {
        guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
            preconditionFailure("no memory for a copy of \(frameCapacity) frames")
        }
        copy.frameLength = frameLength
        copy.bytes.copyMemory(from: bytes, byteCount: byteCount)
        return copy
    }

    /// The channels' samples when they are 64-bit floats; nil otherwise.
    var doubleChannelData: UnsafePointer<UnsafeMutablePointer<Double>>? { channelData(.pcmFormatFloat64) }

    private func channelData<Sample>(
        _ kind: AVAudioCommonFormat
    ) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
        guard format.commonFormat == kind else { return nil }
        // A list of raw pointers and one of typed pointers are the same in memory.
        return UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
    }
}
