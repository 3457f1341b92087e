/// A format in Core Audio's terms.
public struct AudioStreamBasicDescription: Equatable, Sendable {
    /// The sample rate in hertz.
    public var mSampleRate: Float64
    /// The format ID, such as `kAudioFormatLinearPCM`.
    public var mFormatID: UInt32
    /// The `kAudioFormatFlag…` bits.
    public var mFormatFlags: UInt32
    /// Bytes per packet; of one channel if deinterleaved.
    public var mBytesPerPacket: UInt32
    /// Frames per packet; 1 for linear PCM.
    public var mFramesPerPacket: UInt32
    /// Bytes per frame; of one channel if deinterleaved.
    public var mBytesPerFrame: UInt32
    /// The number of channels.
    public var mChannelsPerFrame: UInt32
    /// Bits per sample.
    public var mBitsPerChannel: UInt32
    /// Always 0.
    public var mReserved: UInt32

    /// Makes a description from its fields.
    public init(
        mSampleRate: Float64 = 0, mFormatID: UInt32 = 0, mFormatFlags: UInt32 = 0,
        mBytesPerPacket: UInt32 = 0, mFramesPerPacket: UInt32 = 0, mBytesPerFrame: UInt32 = 0,
        mChannelsPerFrame: UInt32 = 0, mBitsPerChannel: UInt32 = 0, mReserved: UInt32 = 0
    ) {
        self.mSampleRate = mSampleRate
        self.mFormatID = mFormatID
        self.mFormatFlags = mFormatFlags
        self.mBytesPerPacket = mBytesPerPacket
        self.mFramesPerPacket = mFramesPerPacket
        self.mBytesPerFrame = mBytesPerFrame
        self.mChannelsPerFrame = mChannelsPerFrame
        self.mBitsPerChannel = mBitsPerChannel
        self.mReserved = mReserved
    }

    /// Linear PCM, little-endian and packed; `bits` is 8, 16, 24, 32 or 64.
    init(sampleRate: Double, channels: UInt32, bits: UInt32, isFloat: Bool, isInterleaved: Bool) {
        let frameBytes = bits / 8 * (isInterleaved ? channels : 1)
        self.init(
            mSampleRate: sampleRate, mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
                | kAudioFormatFlagIsPacked | (isInterleaved ? 0 : kAudioFormatFlagIsNonInterleaved),
            mBytesPerPacket: frameBytes, mFramesPerPacket: 1, mBytesPerFrame: frameBytes,
            mChannelsPerFrame: channels, mBitsPerChannel: bits)
    }

    func has(_ flag: UInt32) -> Bool { mFormatFlags & flag != 0 }

    var commonFormat: AVAudioCommonFormat {
        guard mFormatID == kAudioFormatLinearPCM, !has(kAudioFormatFlagIsBigEndian) else {
            return .otherFormat
        }
        switch (has(kAudioFormatFlagIsFloat), mBitsPerChannel) {
        case (true, 32): return .pcmFormatFloat32
        case (true, 64): return .pcmFormatFloat64
        case (false, 16): return .pcmFormatInt16
        case (false, 32): return .pcmFormatInt32
        default: return .otherFormat
        }
    }
}

/// Linear PCM.
public let kAudioFormatLinearPCM: UInt32 = 0x6C70_636D
/// FLAC.
public let kAudioFormatFLAC: UInt32 = 0x666C_6163
/// Apple Lossless.
public let kAudioFormatAppleLossless: UInt32 = 0x616C_6163
/// Samples are floats.
public let kAudioFormatFlagIsFloat: UInt32 = 1 << 0
/// Samples are big-endian.
public let kAudioFormatFlagIsBigEndian: UInt32 = 1 << 1
/// Samples are signed integers.
public let kAudioFormatFlagIsSignedInteger: UInt32 = 1 << 2
/// Samples use all bits of their bytes.
public let kAudioFormatFlagIsPacked: UInt32 = 1 << 3
/// Samples are deinterleaved.
public let kAudioFormatFlagIsNonInterleaved: UInt32 = 1 << 5
