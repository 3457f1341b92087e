import AudioIO

/// An audio file to read, with a movable position.
///
/// Reads WAV, FLAC, Ogg, MP3 and others, and with ffmpeg installed MPEG-4 and video. Not thread-safe.
public final class AVAudioFile: NSObject {
    /// The location of the file.
    public let url: URL
    /// The format of the file; compressed files have `otherFormat` with rate and channels.
    public let fileFormat: AVAudioFormat
    /// The format of the buffers that `read` fills.
    public let processingFormat: AVAudioFormat
    /// The next frame to read; may be past the end.
    ///
    /// Moving back reopens the file and decodes it up to the new position.
    public var framePosition: AVAudioFramePosition = 0

    private var reader: AudioFileReader
    private var readerPosition: AVAudioFramePosition = 0
    private var knownLength: AVAudioFramePosition?
    private var hasReportedDamage = false

    /// Opens a file for reading as deinterleaved 32-bit floats.
    /// - Throws: `AVFAudioError` if the file is missing, unreadable or no audio.
    public convenience init(forReading fileURL: URL) throws {
        try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Opens a file for reading as samples of the given type.
    /// - Throws: `AVFAudioError` if the file is missing, unreadable or no audio, or the type is
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

    /// The number of frames that can be decoded.
    ///
    /// The first access decodes the file to its end, because headers can be wrong.
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

    /// Fills the buffer from ``framePosition`` on.
    /// - Throws: `AVFAudioError`, as ``read(into:frameCount:)`` does.
    public func read(into buffer: AVAudioPCMBuffer) throws {
        try read(into: buffer, frameCount: buffer.frameCapacity)
    }

    /// Reads up to `frameCount` frames and moves ``framePosition`` behind them.
    ///
    /// `frameLength` is smaller than `frameCount` only at the end of the file or of the buffer.
    /// The first call that meets damage of the file fills the buffer and throws. Later calls read the rest.
    /// Silence takes the place of missing audio where the file states times.
    /// - Throws: `AVFAudioError`. Code `endOfFile` if no frame is left. Code `unsupportedFormat` if the
    ///   buffer's format is not ``processingFormat``. Code `invalidFile` if the file is damaged.
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
            if let damage = reader.damage, !hasReportedDamage {
                hasReportedDamage = true
                throw AudioFileError(.damaged, path: url.path, damage.description)
            }
            guard count > 0 else { throw endOfFile }
        } catch let error as AudioFileError {
            throw AVFAudioError(error)
        }
    }

    private static let blockFrames = 65_536

    /// Moves the reader to ``framePosition``, or to the end of a shorter file.
    private func seek() throws {
        guard framePosition >= 0 else { throw endOfFile }
        if framePosition < readerPosition {
            reader = try Self.open(url)
            readerPosition = 0
        }
        while readerPosition < framePosition {
            let frames = Int(min(framePosition - readerPosition, AVAudioFramePosition(Self.blockFrames)))
            guard
                let skipped = try reader.withNextBlock(maxFrames: frames, { $0.count / reader.channelCount })
            else { return }
            readerPosition += AVAudioFramePosition(skipped)
        }
    }

    private var endOfFile: AVFAudioError {
        AVFAudioError(.endOfFile, message: "\(url.path): no frame \(framePosition)")
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
