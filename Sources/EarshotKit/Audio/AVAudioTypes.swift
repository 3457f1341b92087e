/// A number of frames in a buffer.
public typealias AVAudioFrameCount = UInt32
/// A frame number in a file or stream.
public typealias AVAudioFramePosition = Int64
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A number of packets; a packet of linear PCM is one frame.
public typealias AVAudioPacketCount = UInt32
/// The number of an input or output of a node.
public typealias AVAudioNodeBus = Int

/// A sample type.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Compressed, or integers of 8 or 24 bits.
    case otherFormat = 0
    /// 32-bit floats, nominally −1…1.
    case pcmFormatFloat32 = 1
    /// 64-bit floats, nominally −1…1.
    case pcmFormatFloat64 = 2
    /// Signed 16-bit integers.
    case pcmFormatInt16 = 3
    /// Signed 32-bit integers.
    case pcmFormatInt32 = 4

    /// Nil for `otherFormat`.
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

/// Settings key of the format ID: a `UInt32` such as `kAudioFormatLinearPCM`.
public let AVFormatIDKey = "AVFormatIDKey"
/// Settings key of the sample rate in hertz: `Double`.
public let AVSampleRateKey = "AVSampleRateKey"
/// Settings key of the channel count: `Int`.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// Settings key of the bits per sample: `Int`, 8, 16, 24, 32 or 64.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// Settings key of the byte order: `Bool`; samples in memory are little-endian.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// Settings key for float samples: `Bool`.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// Settings key for deinterleaved samples: `Bool`.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
