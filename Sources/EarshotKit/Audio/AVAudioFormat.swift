import AudioIO

/// A format of audio: sample type, rate and channels.
///
/// Formats are equal if their stream descriptions are. Without a channel layout a format has 1 to 64
/// channels, more than Apple's, and any positive finite rate. Signatures need whole rates of 1,000 to 768,000
/// Hz.
public final class AVAudioFormat: NSObject, @unchecked Sendable {
    // Sendable: immutable after init; the pointer is only read.
    private let stream: UnsafeMutablePointer<AudioStreamBasicDescription>

    static let channelCounts =
        AVAudioChannelCount(
            AudioFile.channelCounts.lowerBound)...AVAudioChannelCount(AudioFile.channelCounts.upperBound)

    /// The standard format, deinterleaved 32-bit floats; nil if the rate or the channel count is out of
    /// range.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    /// Makes a format of a common type; nil for `otherFormat`, or if the rate or channel count is out of
    /// range.
    public convenience init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount,
        interleaved: Bool
    ) {
        guard let bytes = format.sampleBytes else { return nil }
        self.init(
            description: AudioStreamBasicDescription(
                sampleRate: sampleRate, channels: channels, bits: UInt32(bytes * 8), isFloat: format.isFloat,
                isInterleaved: interleaved))
    }

    /// Makes a format from settings; nil if format ID, rate or channels are missing or out of range.
    ///
    /// Linear PCM defaults to interleaved 16-bit integers.
    public convenience init?(settings: [String: Any]) {
        func number(_ key: String) -> NSNumber? { AVAudioFormat.number(settings[key]) }
        guard let rate = number(AVSampleRateKey)?.doubleValue,
            let channels = number(AVNumberOfChannelsKey).flatMap({ UInt32(exactly: $0.doubleValue) }),
            let identifier = number(AVFormatIDKey).flatMap({ UInt32(exactly: $0.doubleValue) })
        else { return nil }
        guard identifier == kAudioFormatLinearPCM else {
            self.init(
                description: AudioStreamBasicDescription(
                    mSampleRate: rate, mFormatID: identifier, mChannelsPerFrame: channels))
            return
        }
        let bits = number(AVLinearPCMBitDepthKey)?.doubleValue ?? 16
        let isFloat = number(AVLinearPCMIsFloatKey)?.boolValue ?? false
        guard (isFloat ? [32, 64] : [8, 16, 24, 32]).contains(bits), Self.channelCounts.contains(channels)
        else { return nil }
        var description = AudioStreamBasicDescription(
            sampleRate: rate, channels: channels, bits: UInt32(bits), isFloat: isFloat,
            isInterleaved: !(number(AVLinearPCMIsNonInterleaved)?.boolValue ?? false))
        if number(AVLinearPCMIsBigEndianKey)?.boolValue ?? false {
            description.mFormatFlags |= kAudioFormatFlagIsBigEndian
        }
        self.init(description: description)
    }

    /// Makes a format from a Core Audio description; nil if the rate or the channel count is out of range.
    public convenience init?(streamDescription: UnsafePointer<AudioStreamBasicDescription>) {
        self.init(description: streamDescription.pointee)
    }

    convenience init?(description: AudioStreamBasicDescription) {
        guard description.mSampleRate.isFinite, description.mSampleRate > 0,
            Self.channelCounts.contains(description.mChannelsPerFrame)
        else { return nil }
        self.init(checked: description)
    }

    private init(checked description: AudioStreamBasicDescription) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: description)
    }

    private convenience init(deviceChannels channels: AVAudioChannelCount) {
        self.init(
            checked: AudioStreamBasicDescription(
                sampleRate: 48_000, channels: channels, bits: 32, isFloat: true, isInterleaved: false))
    }

    /// The default microphone format: standard, 48,000 Hz, mono.
    static let microphone = AVAudioFormat(deviceChannels: 1)

    /// The format in which engines play: standard, 48,000 Hz, stereo.
    static let loudspeaker = AVAudioFormat(deviceChannels: 2)

    deinit { stream.deallocate() }

    /// The Core Audio description; valid as long as this object.
    public var streamDescription: UnsafePointer<AudioStreamBasicDescription> { UnsafePointer(stream) }
    /// The sample rate in hertz.
    public var sampleRate: Double { stream.pointee.mSampleRate }
    /// The number of channels.
    public var channelCount: AVAudioChannelCount { stream.pointee.mChannelsPerFrame }
    /// The sample type.
    public var commonFormat: AVAudioCommonFormat { stream.pointee.commonFormat }
    /// Whether samples are stored frame by frame, not channel by channel.
    public var isInterleaved: Bool { !stream.pointee.has(kAudioFormatFlagIsNonInterleaved) }
    /// Whether this is the standard format: deinterleaved 32-bit floats.
    public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The format as settings of a file.
    public var settings: [String: Any] {
        let description = stream.pointee
        var settings: [String: Any] = [
            AVFormatIDKey: description.mFormatID, AVSampleRateKey: description.mSampleRate,
            AVNumberOfChannelsKey: Int(description.mChannelsPerFrame),
        ]
        if description.mFormatID == kAudioFormatLinearPCM {
            settings[AVLinearPCMBitDepthKey] = Int(description.mBitsPerChannel)
            settings[AVLinearPCMIsFloatKey] = description.has(kAudioFormatFlagIsFloat)
            settings[AVLinearPCMIsBigEndianKey] = description.has(kAudioFormatFlagIsBigEndian)
            settings[AVLinearPCMIsNonInterleaved] = description.has(kAudioFormatFlagIsNonInterleaved)
        }
        return settings
    }

    /// Compares the stream descriptions.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return stream.pointee == other.stream.pointee
    }

    /// Hashes rate, channels and flags.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleRate)
        hasher.combine(channelCount)
        hasher.combine(stream.pointee.mFormatFlags)
        return hasher.finalize()
    }

    /// For example `1 ch, 48000.0 Hz, Float32, deinterleaved`.
    public override var description: String {
        let kind = "\(commonFormat)".replacing("pcmFormat", with: "").replacing("Format", with: "")
        return
            "\(channelCount) ch, \(sampleRate) Hz, \(kind), \(isInterleaved ? "interleaved" : "deinterleaved")"
    }

    /// Reads a number from `Any`; Swift's own numbers neither convert to each other there nor are all
    /// `NSNumber`.
    private static func number(_ value: Any?) -> NSNumber? {
        switch value {
        case let value as NSNumber: value
        case let value as any BinaryInteger: NSNumber(value: Double(value))
        case let value as any BinaryFloatingPoint: NSNumber(value: Double(value))
        case let value as Bool: NSNumber(value: value)
        default: nil
        }
    }
}
