import AudioCore
import SystemIO

/// Whole audio files to and from memory.
///
/// Reading goes through libsndfile; what that cannot read (MPEG-4, WebM, WMA, …) goes to an `ffmpeg` child process
/// when one is installed. Frame counts in headers are never believed: a file is read until no more samples come, so a
/// truncated file yields what it still holds.
public enum AudioFile {
    /// The sample rates accepted, in hertz.
    public static let sampleRates = 1000...768_000
    /// The channel counts accepted.
    public static let channelCounts = 1...64
    /// The most samples of all channels together that ``read(_:)`` and ``decode(_:name:)`` hold: 4 GiB of them.
    public static let maximumSampleCount = 1 << 30

    /// Reads all of the file at `path`, at its own rate and with its own channels.
    ///
    /// Several audio tracks of one file are mixed. Integer samples are scaled to −1…1; float samples are kept as they are.
    /// - Throws: ``AudioFileError`` when there is no file, no audio or no sample in it, when a sample is not a finite
    ///   number, or when rate, channels or length are beyond the limits of this type.
    public static func read(_ path: String) throws -> AudioBuffer {
        try readToEnd(AudioFileReader(path: path), name: path)
    }

    /// Decodes a whole file held in memory; `name` is what errors call it.
    /// - Throws: ``AudioFileError``, as ``read(_:)`` does.
    public static func decode(_ bytes: [UInt8], name: String) throws -> AudioBuffer {
        try readToEnd(AudioFileReader(bytes: bytes, name: name), name: name)
    }

    /// Encodes `audio` into the bytes of a file, at its own rate and with its own channels.
    ///
    /// Samples beyond −1…1 are kept by float encodings and by Vorbis, Opus and MP3; integer encodings clip them, as the
    /// very last step, at the range of their integers. Scale before when that is not wanted.
    /// - Throws: ``AudioFileError`` when the encoding does not take the rate or the channels, or there is no sample.
    public static func encode(_ audio: AudioBuffer, as encoding: AudioEncoding) throws -> [UInt8] {
        try encode(audio, as: encoding, name: encoding.name)
    }

    /// Writes `audio` to a file, which appears whole or not at all.
    /// - Throws: ``AudioFileError`` as ``encode(_:as:)`` does, ``FileWriteError`` when the file cannot be written.
    public static func write(_ audio: AudioBuffer, to path: String, as encoding: AudioEncoding) throws {
        try AtomicFile.write(encode(audio, as: encoding, name: path), to: path)
    }

    /// What the header of the file at `path` says.
    /// - Throws: ``AudioFileError`` when it cannot be opened as audio.
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

/// What the header of an audio file says.
public struct AudioFileInfo: Sendable, Equatable {
    /// The sample rate in hertz.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int
    /// The container and codec in words, for example "WAV (Microsoft), Signed 16 bit PCM".
    public let formatName: String
}
