import AudioIO

/// How audio is stored: kind of sample, rate, channels and their order.
///
/// Equal formats have equal descriptions. Formats take 1 to 64 channels, more than Apple's do without a channel layout,
/// and any positive finite rate; what makes signatures takes 1,000 to 768,000 Hz, in whole hertz.
public final class AVAudioFormat: NSObject, @unchecked Sendable {
    // Sendable: nothing changes after the initialiser, and the pointer is only ever read.
    private let stream: UnsafeMutablePointer<AudioStreamBasicDescription>

    /// The channel counts that formats take.
    static let channelCounts =
        AVAudioChannelCount(
            AudioFile.channelCounts.lowerBound)...AVAudioChannelCount(AudioFile.channelCounts.upperBound)

    /// The standard format, deinterleaved 32-bit floats; nil when the rate is not positive or no channel is given.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    /// A format of one of the common kinds; nil for `otherFormat` and for rates and channels that no format has.
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

    /// A format of settings; nil when format ID, rate or channels are missing or no format has them.
    ///
    /// Linear PCM is of 16-bit integers, interleaved, unless the settings say otherwise.
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
        guard (isFloat ? [32, 64] : [8, 16, 24, 32]).contains(bits),
            Self.channelCounts.contains(channels)
        else { return nil }
        var description = AudioStreamBasicDescription(
            sampleRate: rate, channels: channels, bits: UInt32(bits), isFloat: isFloat,
            isInterleaved: !(number(AVLinearPCMIsNonInterleaved)?.boolValue ?? false))
        if number(AVLinearPCMIsBigEndianKey)?.boolValue ?? false {
            description.mFormatFlags |= kAudioFormatFlagIsBigEndian
        }
        self.init(description: description)
    }

    /// A format of Core Audio's numbers; nil for rates and channels that no format has.
    public convenience init?(streamDescription: UnsafePointer<AudioStreamBasicDescription>) {
        self.init(description: streamDescription.pointee)
    }

    convenience init?(description: AudioStreamBasicDescription) {
        guard description.mSampleRate.isFinite, description.mSampleRate > 0,
            Self.channelCounts.contains(description.mChannelsPerFrame)
        else { return nil }
        self.init(checked: description)
    }

    /// Takes a description whose rate and channels are known to be within the limits.
    private init(checked description: AudioStreamBasicDescription) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: description)
    }

    /// What microphones give unless asked otherwise: standard, 48,000 Hz, one channel.
    static let microphone = AVAudioFormat(
        checked: AudioStreamBasicDescription(
            sampleRate: 48_000, channels: 1, bits: 32, isFloat: true, isInterleaved: false))

    deinit {
        stream.deallocate()
    }

    /// The format in Core Audio's numbers; valid as long as this object.
    public var streamDescription: UnsafePointer<AudioStreamBasicDescription> { UnsafePointer(stream) }
    /// The sample rate in hertz.
    public var sampleRate: Double { stream.pointee.mSampleRate }
    /// The number of channels.
    public var channelCount: AVAudioChannelCount { stream.pointee.mChannelsPerFrame }
    /// The kind of sample.
    public var commonFormat: AVAudioCommonFormat { stream.pointee.commonFormat }
    /// Whether samples lie frame by frame, rather than each channel apart.
    public var isInterleaved: Bool { !stream.pointee.has(kAudioFormatFlagIsNonInterleaved) }
    /// Whether this is the standard format: deinterleaved 32-bit floats.
    public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The format as settings for a file.
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

    /// Whether another object is a format with the same description.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return stream.pointee == other.stream.pointee
    }

    /// A hash of the rate, the channels and the kind.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleRate)
        hasher.combine(channelCount)
        hasher.combine(stream.pointee.mFormatFlags)
        return hasher.finalize()
    }

    /// Rate, channels and kind in words.
    public override var description: String {
        let kind =
            switch commonFormat {
            case .otherFormat: "other"
            case .pcmFormatFloat32: "Float32"
            case .pcmFormatFloat64: "Float64"
            case .pcmFormatInt16: "Int16"
            case .pcmFormatInt32: "Int32"
            }
        return
            "\(channelCount) ch, \(sampleRate) Hz, \(kind), \(isInterleaved ? "interleaved" : "deinterleaved")"
    }

    /// A number out of `Any`: Swift's own numbers do not convert to each other there, and are not all `NSNumber`.
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
