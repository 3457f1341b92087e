import AudioCore
import AudioIO

/// Encodes and decodes, in memory.
///
/// `encoding` is a name of ``AudioIO/AudioEncoding``. The clip is brought to the nearest rate that the encoding
/// takes; with `exactRate` it must have such a rate already, else the format is `notOffered`. It
/// is mixed down to as many channels as the encoding holds, and scaled, never clipped, to full scale. No frame
/// is trimmed: the codec's delay is measured, stored as `codecDelaySeconds` and taken out of the truth.
public struct Format: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "format"
    /// What a plan may set.
    public static let parameters = [
        Parameter("encoding", .text),
        Parameter("exactRate", .flag, ifAbsent: .value(false)),
    ]

    /// The name of the encoding.
    public var encoding: String
    /// Whether a clip at a rate that the encoding does not take is refused rather than resampled.
    public var exactRate: Bool

    /// Makes a passage through an encoding.
    public init(encoding: String, exactRate: Bool = false) {
        self.encoding = encoding
        self.exactRate = exactRate
    }

    /// Checks that there is such an encoding.
    public func validate() throws {
        try validateParameters()
        _ = try audioEncoding
    }

    /// Encodes, decodes and shifts the maps by the codec's delay.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let encoding = try audioEncoding
        let wanted = clip.audio.sampleRate
        guard let rate = encoding.nearestRate(to: wanted), rate == wanted || !exactRate else {
            throw DegradationError(.notOffered, "\(encoding) does not take \(wanted) Hz")
        }
        try clip.resample(to: rate)
        if clip.audio.channelCount > encoding.maxChannels {
            clip.audio = AudioBuffer(samples: clip.audio.mono(), sampleRate: rate)
        }
        clip.scaleToFullScale()
        let delay: Double
        let decoded: AudioBuffer
        do {
            delay = try CodecDelay.seconds(
                of: encoding, sampleRate: rate, channelCount: clip.audio.channelCount)
            decoded = try AudioFile.decode(
                try AudioFile.encode(clip.audio, as: encoding), name: encoding.description)
        } catch let error as AudioFileError {
            throw DegradationError(.unsuitableAudio, error.description)
        }
        clip.replace(with: decoded, delaySeconds: delay)
        clip.measurements["codecDelaySeconds", default: 0] += delay
    }

    private var audioEncoding: AudioEncoding {
        get throws {
            if let known = AudioEncoding(encoding) { return known }
            throw DegradationError(
                .invalidParameter,
                "\(Self.name): no encoding is called \"\(encoding)\"; there are "
                    + AudioEncoding.all.map(\.description).joined(separator: ", "))
        }
    }
}
