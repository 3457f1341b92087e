import AudioCore
import SystemIO

/// Reads and writes whole audio files.
///
/// libsndfile reads most formats. `ffmpeg`, if installed, reads others, such as MPEG-4, WebM and WMA. A file is read to
/// its end, whatever number of frames its header states. A truncated file therefore gives the samples that are left.
public enum AudioFile {
    /// The accepted sample rates, in hertz.
    public static let sampleRates = 1000...768_000
    /// The accepted channel counts.
    public static let channelCounts = 1...64
    /// The most samples of all channels in memory: 4 GiB.
    static let maximumSampleCount = 1 << 30

    /// Reads the file at `path` at its own rate and with its own channels.
    ///
    /// Several audio tracks are mixed. Integer samples are scaled to −1…1; float samples stay the same.
    /// - Throws: ``AudioFileError`` without a file, audio or samples, for a sample that is not finite, and for a rate,
    ///   channel count or length out of range.
    public static func read(_ path: String) throws -> AudioBuffer {
        try readToEnd(AudioFileReader(path: path), name: path)
    }

    /// Decodes a whole file in memory; errors call it `name`.
    /// - Throws: ``AudioFileError``, as ``read(_:)`` does.
    public static func decode(_ bytes: [UInt8], name: String) throws -> AudioBuffer {
        try readToEnd(AudioFileReader(bytes: bytes, name: name), name: name)
    }

    /// Encodes `audio` at its own rate and with its own channels; returns the bytes of a file.
    ///
    /// Float encodings, Vorbis, Opus and MP3 keep samples beyond −1…1. Integer encodings clip them.
    /// - Throws: ``AudioFileError`` without samples, or if the encoding does not accept the rate or the channels.
    package static func encode(_ audio: AudioBuffer, as encoding: AudioEncoding) throws -> [UInt8] {
        try encode(audio, as: encoding, name: encoding.name)
    }

    /// Writes `audio` to a file atomically.
    /// - Throws: ``AudioFileError`` as ``encode(_:as:)`` does, ``FileWriteError`` if the file cannot be written.
    package static func write(_ audio: AudioBuffer, to path: String, as encoding: AudioEncoding) throws {
        try AtomicFile.write(encode(audio, as: encoding, name: path), to: path)
    }

    /// Reads the header of the file at `path`.
    /// - Throws: ``AudioFileError`` if it cannot be opened as audio.
    public static func info(_ path: String) throws -> AudioFileInfo {
        let reader = try AudioFileReader(path: path)
        return AudioFileInfo(
            sampleRate: reader.sampleRate, channelCount: reader.channelCount, formatName: reader.formatName)
    }

    private static func encode(
        _ audio: AudioBuffer, as encoding: AudioEncoding, name: String
    ) throws -> [UInt8] {
        guard audio.frameCount > 0 else {
            throw AudioFileError(.noSamples, path: name, "there is no sample to encode")
        }
        guard encoding.takes(sampleRate: audio.sampleRate) else {
            throw AudioFileError(
                .notOffered, path: name,
                "\(encoding) does not take \(audio.sampleRate) Hz, only \(encoding.sampleRatesText)")
        }
        guard audio.channelCount <= encoding.maxChannels else {
            throw AudioFileError(
                .notOffered, path: name,
                "\(encoding) takes at most \(encoding.maxChannels) channels, not \(audio.channelCount)")
        }
        return try SoundFileWriter.encode(audio, as: encoding, name: name)
    }

    private static func readToEnd(_ reader: AudioFileReader, name: String) throws -> AudioBuffer {
        var planes = GrowingPlanes(channelCount: reader.channelCount, expectedFrames: reader.expectedFrames)
        let block = max(1, 65_536 / reader.channelCount)
        while try reader.withNextBlock(maxFrames: block, { planes.append($0) }) != nil {
            if planes.frameCount * reader.channelCount > maximumSampleCount {
                throw AudioFileError(
                    .tooLong, path: name,
                    "more than \(maximumSampleCount) samples; split the file or read it in parts")
            }
        }
        return planes.audio(sampleRate: reader.sampleRate)
    }
}

/// The header of an audio file.
public struct AudioFileInfo: Sendable, Equatable {
    /// The sample rate in hertz.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int
    /// The container and codec in words, for example "WAV (Microsoft), Signed 16 bit PCM".
    public let formatName: String
}
