/// A number of frames in a buffer.
public typealias AVAudioFrameCount = UInt32
/// A place in a file or a stream, in frames.
public typealias AVAudioFramePosition = Int64
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A number of packets; of linear PCM each holds one frame.
public typealias AVAudioPacketCount = UInt32
/// The number of a node's input or output.
public typealias AVAudioNodeBus = Int

/// How samples are stored.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Some other way: compressed, or integers of 8 or 24 bits.
    case otherFormat = 0
    /// 32-bit floats of the nominal range −1…1.
    case pcmFormatFloat32 = 1
    /// 64-bit floats of the nominal range −1…1.
    case pcmFormatFloat64 = 2
    /// Signed 16-bit integers.
    case pcmFormatInt16 = 3
    /// Signed 32-bit integers.
    case pcmFormatInt32 = 4

    /// The bytes of a sample; nil of `otherFormat`.
    var sampleBytes: Int? {
        switch self {
        case .otherFormat: nil
        case .pcmFormatInt16: 2
        case .pcmFormatFloat32, .pcmFormatInt32: 4
        case .pcmFormatFloat64: 8
        }
    }

    var isFloat: Bool { self == .pcmFormatFloat32 || self == .pcmFormatFloat64 }
}

/// The setting for the format ID, a `UInt32` such as `kAudioFormatLinearPCM`.
public let AVFormatIDKey = "AVFormatIDKey"
/// The setting for the sample rate in hertz, a `Double`.
public let AVSampleRateKey = "AVSampleRateKey"
/// The setting for the number of channels, an `Int`.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// The setting for the bits of a sample: 8, 16, 24, 32 or 64, an `Int`.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// The setting for the byte order, a `Bool`; audio in memory is little-endian.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// The setting for whether samples are floats, a `Bool`.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// The setting for whether each channel lies apart, a `Bool`.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
