import AudioIO

/// An audio file that is read from a place that can be moved.
///
/// Whatever `AudioFileReader` reads: WAV, FLAC, Ogg, MP3 and others, and MPEG-4 and video where ffmpeg is installed. Not safe
/// to use from two threads at once.
public final class AVAudioFile: NSObject {
    /// Where the file is.
    public let url: URL
    /// The format of the file; of compressed files `otherFormat` with rate and channels.
    public let fileFormat: AVAudioFormat
    /// The format of the buffers that are read.
    public let processingFormat: AVAudioFormat
    /// The frame that is read next; may be set to any frame, beyond the end too, where there is nothing to read.
    ///
    /// Going back opens the file anew and decodes it up to there.
    public var framePosition: AVAudioFramePosition = 0

    private var reader: AudioFileReader
    /// The frame that the reader gives next.
    private var readerPosition: AVAudioFramePosition = 0
    private var knownLength: AVAudioFramePosition?

    /// Opens a file, to be read as deinterleaved 32-bit floats.
    /// - Throws: `AVFAudioError` when there is no such file, it may not be read, or it is no audio.
    public convenience init(forReading fileURL: URL) throws {
        try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Opens a file, to be read as samples of the given kind.
    /// - Throws: `AVFAudioError` when there is no such file, it may not be read, it is no audio, or the kind is
    ///   `otherFormat`.
    public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
        url = fileURL
        reader = try Self.open(fileURL)
        guard
            let processingFormat = AVAudioFormat(
                commonFormat: format, sampleRate: Double(reader.sampleRate),
                channels: UInt32(reader.channelCount), interleaved: interleaved),
            let fileFormat = Self.format(of: reader)
        else {
            throw AVFAudioError(
                .unsupportedFormat,
                message: "\(fileURL.path): cannot be read as \(format); expected one of the pcm formats")
        }
        self.processingFormat = processingFormat
        self.fileFormat = fileFormat
    }

    /// The frames of the file, as decoding it gives them; what cannot be decoded is not counted.
    ///
    /// Headers are not believed: the file is decoded to its end when this is asked for the first time, unless it has been
    /// read to its end already.
    public var length: AVAudioFramePosition {
        if let knownLength { return knownLength }
        var count: AVAudioFramePosition = 0
        if let counter = try? Self.open(url) {
            while let frames = try? counter.withNextBlock(
                maxFrames: Self.blockFrames, { $0.count / counter.channelCount })
            {
                count += AVAudioFramePosition(frames)
            }
        }
        knownLength = count
        return count
    }

    /// Fills the buffer from `framePosition` on, as far as the file goes.
    /// - Throws: `AVFAudioError` as ``read(into:frameCount:)`` does.
    public func read(into buffer: AVAudioPCMBuffer) throws {
        try read(into: buffer, frameCount: buffer.frameCapacity)
    }

    /// Reads up to `frameCount` frames from `framePosition` on, which moves to the frame after the last one read.
    ///
    /// The buffer's length says how many came: fewer than asked for only at the end, and never more than fit.
    /// - Throws: `AVFAudioError`: `endOfFile` when there is no frame at `framePosition`, with the buffer's length 0;
    ///   `unsupportedFormat` when the buffer's format is not `processingFormat`; `invalidFile` when the file is damaged.
    public func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        guard buffer.format == processingFormat else {
            throw AVFAudioError(
                .unsupportedFormat,
                message: "\(url.path): the buffer is \(buffer.format); expected \(processingFormat)")
        }
        buffer.frameLength = 0
        let wanted = Int(min(frames, buffer.frameCapacity))
        guard wanted > 0 else { return }
        do {
            try seek()
            var count = 0
            while count < wanted, framePosition == readerPosition,
                let block = try reader.read(maxFrames: min(wanted - count, Self.blockFrames))
            {
                block.samples.withUnsafeBufferPointer {
                    buffer.write($0, frames: block.frameCount, at: count)
                }
                count += block.frameCount
                readerPosition += AVAudioFramePosition(block.frameCount)
                framePosition = readerPosition
            }
            if count < wanted, framePosition == readerPosition { knownLength = readerPosition }
            guard count > 0 else { throw endOfFile }
        } catch let error as AudioFileError {
            throw AVFAudioError(error)
        }
    }

    private static let blockFrames = 65_536

    /// Moves the reader to `framePosition`, or to the end when that lies before it.
    private func seek() throws {
        guard framePosition >= 0 else { throw endOfFile }
        if framePosition < readerPosition {
            reader = try Self.open(url)
            readerPosition = 0
        }
        while readerPosition < framePosition {
            let frames = Int(min(framePosition - readerPosition, AVAudioFramePosition(Self.blockFrames)))
            guard
                let skipped = try reader.withNextBlock(
                    maxFrames: frames, { $0.count / reader.channelCount })
            else { return }
            readerPosition += AVAudioFramePosition(skipped)
        }
    }

    private var endOfFile: AVFAudioError {
        AVFAudioError(.endOfFile, message: "\(url.path): there is no frame \(framePosition)")
    }

    private static func open(_ url: URL) throws -> AudioFileReader {
        guard url.isFileURL else {
            throw AVFAudioError(
                .unsupportedFileType, message: "\(url.absoluteString): not the URL of a file (file:///…)")
        }
        do {
            return try AudioFileReader(path: url.path)
        } catch let error as AudioFileError {
            throw AVFAudioError(error)
        }
    }

    private static func format(of reader: AudioFileReader) -> AVAudioFormat? {
        let (rate, channels) = (Double(reader.sampleRate), UInt32(reader.channelCount))
        guard let linear = reader.linearSamples else {
            return AVAudioFormat(
                description: AudioStreamBasicDescription(mSampleRate: rate, mChannelsPerFrame: channels))
        }
        return AVAudioFormat(
            description: AudioStreamBasicDescription(
                sampleRate: rate, channels: channels, bits: UInt32(linear.bits), isFloat: linear.isFloat,
                isInterleaved: true))
    }
}
