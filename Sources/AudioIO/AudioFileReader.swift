import AudioCore

/// Reads an audio file block by block, in constant memory for all that libsndfile reads.
///
/// What needs the `ffmpeg` child process is decoded at once when the reader is made.
public final class AudioFileReader {
    /// The sample rate in hertz.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int
    /// The container and codec in words.
    public let formatName: String

    private let name: String
    private let source: any SampleSource
    private var framesRead = 0

    /// Opens the file at `path`.
    /// - Throws: ``AudioFileError`` when it is missing, not a readable file, or not audio within the limits of ``AudioFile``.
    public convenience init(path: String) throws {
        let head = try FileHead(path: path)
        do {
            try self.init(SoundFile(path: path), name: path)
        } catch let error as AudioFileError where error.code == .notAudio {
            let decoder = ForeignDecoder(name: path, content: head.content, refusal: error.message)
            try self.init(decoder.decode(path: path), name: path)
        }
    }

    /// Opens a whole file held in memory; `name` is what errors call it.
    /// - Throws: ``AudioFileError``, as ``init(path:)`` does.
    public convenience init(bytes: [UInt8], name: String) throws {
        guard !bytes.isEmpty else { throw FileHead.emptyFile(name) }
        do {
            try self.init(SoundFile(bytes: bytes, name: name), name: name)
        } catch let error as AudioFileError where error.code == .notAudio {
            let content = MediaContent(of: bytes[..<min(bytes.count, FileHead.length)])
            let decoder = ForeignDecoder(name: name, content: content, refusal: error.message)
            try self.init(decoder.decode(bytes: bytes), name: name)
        }
    }

    private init(_ source: any SampleSource, name: String) throws {
        self.source = source
        self.name = name
        formatName = source.formatName
        sampleRate = source.sampleRate
        channelCount = source.channelCount
        guard AudioFile.sampleRates.contains(sampleRate) else {
            throw AudioFileError(
                .unsupportedSampleRate, path: name,
                "the header says \(sampleRate) Hz; expected \(AudioFile.sampleRates.lowerBound) to "
                    + "\(AudioFile.sampleRates.upperBound) Hz")
        }
        guard AudioFile.channelCounts.contains(channelCount) else {
            throw AudioFileError(
                .unsupportedChannelCount, path: name,
                "the header says \(channelCount) channels; expected \(AudioFile.channelCounts.lowerBound) to "
                    + "\(AudioFile.channelCounts.upperBound)")
        }
    }

    /// Reads up to `maxFrames` frames on from the last ones; nil at the end.
    /// - Throws: ``AudioFileError`` when there is no sample in the whole file, or one that is not a finite number.
    public func read(maxFrames: Int) throws -> AudioBuffer? {
        var interleaved: [Float] = []
        guard try read(appendingTo: &interleaved, maxFrames: maxFrames) > 0 else { return nil }
        return interleaved.withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: sampleRate, channelCount: channelCount)
        }
    }

    /// Reads up to `maxFrames` frames, in frame order, and says how many came; 0 at the end.
    func read(appendingTo interleaved: inout [Float], maxFrames: Int) throws -> Int {
        precondition(maxFrames >= 1, "cannot read \(maxFrames) frames")
        let start = interleaved.count
        interleaved.append(contentsOf: repeatElement(0, count: maxFrames * channelCount))
        let frames = interleaved.withUnsafeMutableBufferPointer {
            source.read(into: UnsafeMutableBufferPointer(rebasing: $0[start...]))
        }
        interleaved.removeLast((maxFrames - frames) * channelCount)
        if let index = interleaved[start...].firstIndex(where: { !$0.isFinite }) {
            let (frame, channel) = (index - start).quotientAndRemainder(dividingBy: channelCount)
            throw AudioFileError(
                .notFinite, path: name,
                "sample \(framesRead + frame) of channel \(channel) is not a finite number")
        }
        framesRead += frames
        if framesRead == 0 {
            throw AudioFileError(.noSamples, path: name, noSamplesMessage)
        }
        return frames
    }

    private var noSamplesMessage: String {
        guard let complaint = source.complaint else { return "\(formatName) without a single sample" }
        return "\(formatName), of which no sample could be decoded (\(complaint))"
    }
}
