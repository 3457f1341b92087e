import AudioCore
import AudioIO

/// Encodes and decodes in memory.
///
/// `encoding` is a name of ``AudioIO/AudioEncoding``. The clip is resampled to the nearest rate of the encoding. With
/// `exactRate`, another rate is `notOffered` instead, as is an encoder that this machine's `ffmpeg` lacks. A clip with too
/// many channels becomes mono. A peak above full
/// scale is scaled, not clipped. No frame is removed. The codec's delay is stored as `codecDelaySeconds` and shifts the
/// maps.
package struct Format: Degradation {
    package static let name = "format"
    package static let version = 3
    package static let group = ConditionGroup.format
    package static let parameters = [
        Parameter("encoding", .text), Parameter("exactRate", .flag, ifAbsent: .value(false)),
    ]

    package var encoding: String
    package var exactRate: Bool

    package init(encoding: String, exactRate: Bool = false) {
        self.encoding = encoding
        self.exactRate = exactRate
    }

    package func validate() throws {
        try validateParameters()
        _ = try audioEncoding
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let encoding = try audioEncoding
        if let absence { throw DegradationError(.notOffered, absence) }
        let wanted = clip.audio.sampleRate
        guard let rate = encoding.nearestRate(to: wanted), rate == wanted || !exactRate else {
            throw DegradationError(
                .notOffered, "\(encoding) does not take \(wanted) Hz, but \(encoding.sampleRatesText)")
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
            decoded = try AudioFile.coded(clip.audio, as: encoding)
        } catch let error as AudioFileError
            where error.isFaultOfContent || [.notOffered, .cannotEncode].contains(error.code)
        {
            throw DegradationError.unsuitable(error.description)
        }
        clip.replace(with: decoded, delaySeconds: delay)
        clip.measurements["codecDelaySeconds", default: 0] += delay
    }

    package var absence: String? { AudioEncoding(encoding)?.absence }
    package var program: String? { AudioEncoding(encoding)?.program }

    private var audioEncoding: AudioEncoding {
        get throws {
            if let known = AudioEncoding(encoding) { return known }
            throw DegradationError.invalid(
                "\(Self.name): no encoding is called \"\(encoding)\"; there are "
                    + AudioEncoding.all.map(\.description).joined(separator: ", "))
        }
    }
}
