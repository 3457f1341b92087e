import AudioCore
import SystemIO

/// Reads and writes whole audio files.
///
/// libsndfile reads most formats. `ffmpeg`, if installed, reads others, such as MPEG-4, WebM and WMA. A file is read to
/// its end, whatever number of frames its header states, and so are files that are joined end to end. A truncated file
/// therefore gives the samples that are left.
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
        try read(AudioFileReader(path: path), name: path)
    }

    /// Decodes a whole file in memory; errors call it `name`.
    /// - Throws: ``AudioFileError``, as ``read(_:)`` does.
    public static func decode(_ bytes: [UInt8], name: String) throws -> AudioBuffer {
        try read(AudioFileReader(bytes: bytes, name: name), name: name)
    }

    /// Encodes `audio` at its own rate and with its own channels; returns the bytes of a file.
    ///
    /// Errors call it `name`, by default that of the encoding.
    ///
    /// Float encodings, Vorbis, Opus and MP3 keep samples beyond −1…1. Integer encodings clip them.
    /// - Throws: ``AudioFileError`` without samples, or if the encoding does not accept the rate or the channels.
    package static func encode(
        _ audio: AudioBuffer, as encoding: AudioEncoding, name: String? = nil
    ) throws -> [UInt8] {
        let name = name ?? encoding.name
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
        switch encoding.coder {
        case .library(let codec): return try SoundFileWriter.encode(audio, as: codec, name: name)
        case .program(let codec): return try codec.encode(audio, name: name)
        }
    }

    /// Encodes and decodes in memory.
    ///
    /// Raw formats such as SBC cannot be told by their bytes, so only this decodes them.
    /// - Throws: ``AudioFileError`` as ``encode(_:as:)`` and ``read(_:)`` do, and `.decoderFailed` if a program cannot run.
    package static func coded(_ audio: AudioBuffer, as encoding: AudioEncoding) throws -> AudioBuffer {
        let bytes = try encode(audio, as: encoding)
        guard case .program(let codec) = encoding.coder else { return try decode(bytes, name: encoding.name) }
        return try codec.decode(
            bytes, sampleRate: audio.sampleRate, channelCount: audio.channelCount, name: encoding.name)
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

    /// Reads the part of a file that lies between two times in seconds, rounded to frames, and holds only that.
    ///
    /// - Throws: ``AudioFileError`` as ``read(_:)`` does, and `.noSamples` if the file ends before the part begins.
    package static func read(_ path: String, seconds: ClosedRange<Double>) throws -> AudioBuffer {
        let reader = try AudioFileReader(path: path)
        let rate = Double(reader.sampleRate)
        let first = Int(bounded: (min(max(seconds.lowerBound, 0), 1e9) * rate).rounded())
        let end = Int(bounded: (min(max(seconds.upperBound, 0), 1e9) * rate).rounded())
        let position = try reader.skip(first)
        let audio = try read(reader, frames: max(0, end - first), name: path)
        guard position == first, audio.frameCount > 0 else {
            throw AudioFileError(
                .noSamples, path: path,
                "is \(Double(position) / rate) s long; the part begins at \(seconds.lowerBound) s")
        }
        return audio
    }

    /// Reads an open file to its end; nil if it has more than `sampleCount` samples of all channels.
    package static func read(
        _ reader: AudioFileReader, atMost sampleCount: Int, frames: Int = .max
    ) throws -> AudioBuffer? {
        var planes = GrowingPlanes(
            channelCount: reader.channelCount, expectedFrames: min(frames, reader.expectedFrames),
            mostFrames: sampleCount / reader.channelCount)
        while planes.frameCount < frames {
            let wanted = min(frames - planes.frameCount, blockFrames(reader))
            guard try reader.withNextBlock(maxFrames: wanted, { planes.append($0) }) != nil else { break }
            if planes.frameCount * reader.channelCount > sampleCount { return nil }
        }
        return planes.audio(sampleRate: reader.sampleRate)
    }

    private static func read(
        _ reader: AudioFileReader, frames: Int = .max, name: String
    ) throws -> AudioBuffer {
        guard let audio = try read(reader, atMost: maximumSampleCount, frames: frames) else {
            throw AudioFileError(
                .tooLong, path: name,
                "more than \(maximumSampleCount) samples; split the file or read it in parts")
        }
        return audio
    }

    /// - Parameter source: What states the format, and a verb.
    static func require(sampleRate: Int, channelCount: Int, of source: String, name: String) throws {
        guard sampleRates.contains(sampleRate) else {
            throw AudioFileError(
                .unsupportedSampleRate, path: name,
                "\(source) \(sampleRate) Hz; expected \(sampleRates.lowerBound) to \(sampleRates.upperBound) Hz"
            )
        }
        guard channelCounts.contains(channelCount) else {
            throw AudioFileError(
                .unsupportedChannelCount, path: name,
                "\(source) \(channelCount) channels; expected \(channelCounts.lowerBound) to "
                    + "\(channelCounts.upperBound)")
        }
    }

    private static func blockFrames(_ reader: AudioFileReader) -> Int { max(1, 65_536 / reader.channelCount) }
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
