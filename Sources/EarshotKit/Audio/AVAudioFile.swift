import AudioIO

/// An audio file to read, with a movable position, or to write.
///
/// Reads WAV, FLAC, Ogg, MP3 and others, and with ffmpeg installed MPEG-4 and video. Writes
/// WAV and FLAC. Not thread-safe.
public final class AVAudioFile: NSObject {
    /// The location of the file.
    public let url: URL
    /// The format of the file; compressed files have `otherFormat` with rate and channels.
    public let fileFormat: AVAudioFormat
    /// The format of the buffers that `read` fills.
    public let processingFormat: AVAudioFormat
    /// The next frame to read, or the number of frames written.
    ///
    /// It may be past the end.
    ///
    /// Moving back reopens the file and decodes it up to the new position.
    public var framePosition: AVAudioFramePosition = 0

    /// Nil in a file for writing.
    private var reader: AudioFileReader?
    /// Nil in a file for reading, and in a closed one.
    private var writer: AudioFileWriter?
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
        let reader = try Self.open(fileURL)
        self.reader = reader
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

    /// Begins a file that is written from deinterleaved 32-bit floats.
    ///
    /// - Throws: `AVFAudioError`, as ``init(forWriting:settings:commonFormat:interleaved:)`` does.
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
        try self.init(
            forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Begins a file that is written from samples of the given type, and replaces one of that name.
    ///
    /// The file has its name once it is closed or this object is released.
    ///
    /// - Parameter settings: The rate, the channels and the samples of the file, as ``AVAudioFormat/settings``.
    /// - Throws: `AVFAudioError` if the extension is not `wav`, `wave` or `flac`, if the settings do not fit it, or if the file
    ///   cannot be written. WAV is linear PCM.
    public init(
        forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat,
        interleaved: Bool
    ) throws {
        url = fileURL
        guard let fileFormat = AVAudioFormat(settings: settings),
            let rate = Int(exactly: fileFormat.sampleRate),
            let processingFormat = AVAudioFormat(
                commonFormat: format, sampleRate: fileFormat.sampleRate, channels: fileFormat.channelCount,
                interleaved: interleaved)
        else {
            throw AVFAudioError(
                .unsupportedFormat,
                message: "\(fileURL.path): cannot be written with the settings \(settings); expected"
                    + " \(AVFormatIDKey), \(AVSampleRateKey) in whole hertz and \(AVNumberOfChannelsKey)")
        }
        self.fileFormat = fileFormat
        self.processingFormat = processingFormat
        super.init()
        writer = try AVFAudioError.mapping {
            try AudioFileWriter(
                path: fileURL.path, encoding: Self.encoding(of: fileFormat, at: fileURL), sampleRate: rate,
                channelCount: Int(fileFormat.channelCount))
        }
    }

    deinit { close() }

    /// Completes a file for writing, which then has its name; more cannot be written.
    public func close() {
        // A file that cannot be completed does not appear.
        try? writer?.finish()
        writer = nil
    }

    /// Appends the valid frames of a buffer.
    /// - Throws: `AVFAudioError`. Code `unsupportedFormat` if the buffer's format is not ``processingFormat``. Code
    ///   `filePermissions` if the file is for reading or closed. Otherwise if the disk is full.
    public func write(from buffer: AVAudioPCMBuffer) throws {
        try check(buffer)
        guard let writer else {
            throw AVFAudioError(.filePermissions, message: "\(url.path): is not open for writing")
        }
        guard buffer.frameLength > 0 else { return }
        try AVFAudioError.mapping { try writer.append(buffer.samples()) }
        framePosition += AVAudioFramePosition(buffer.frameLength)
        knownLength = framePosition
    }

    private func check(_ buffer: AVAudioPCMBuffer) throws {
        guard buffer.format == processingFormat else {
            throw AVFAudioError(
                .unsupportedFormat,
                message: "\(url.path): the buffer is \(buffer.format); expected \(processingFormat)")
        }
    }

    private static func encoding(of format: AVAudioFormat, at url: URL) throws -> AudioEncoding {
        let stream = format.streamDescription.pointee
        let isLinear = stream.mFormatID == kAudioFormatLinearPCM
        let bits = isLinear ? stream.mBitsPerChannel : 16
        let name: String? =
            switch (url.pathExtension.lowercased(), stream.has(kAudioFormatFlagIsFloat)) {
            case ("wav", false) where isLinear, ("wave", false) where isLinear:
                bits == 8 ? "wav-pcm-u8" : "wav-pcm\(bits)"
            case ("wav", true) where isLinear, ("wave", true) where isLinear:
                bits == 64 ? "wav-double" : "wav-float"
            case ("flac", false) where isLinear || stream.mFormatID == kAudioFormatFLAC: "flac-\(bits)"
            default: nil
            }
        guard let name, let encoding = AudioEncoding(name) else {
            throw AVFAudioError(
                .unsupportedFileType,
                message:
                    "\(url.path): \(format) cannot be written to such a file; expected linear PCM in .wav, or 16 or"
                    + " 24 bits in .flac")
        }
        return encoding
    }

    /// The number of frames that can be decoded, or were written.
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
        try check(buffer)
        guard var reader else {
            throw AVFAudioError(.filePermissions, message: "\(url.path): is not open for reading")
        }
        buffer.frameLength = 0
        let wanted = Int(min(frames, buffer.frameCapacity))
        guard wanted > 0 else { return }
        try AVFAudioError.mapping {
            try seek(&reader)
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
                throw damage.error(path: url.path)
            }
            guard count > 0 else { throw endOfFile }
        }
    }

    private static let blockFrames = 65_536

    /// Moves to a frame at once, not when that frame is read.
    func seek(to position: AVAudioFramePosition) {
        framePosition = position
        // The next read meets the same error.
        if var reader { try? seek(&reader) }
    }

    /// Moves the reader to ``framePosition``, or to the end of a shorter file.
    private func seek(_ reader: inout AudioFileReader) throws {
        guard framePosition >= 0 else { throw endOfFile }
        if framePosition < readerPosition {
            reader = try Self.open(url)
            self.reader = reader
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
        return try AVFAudioError.mapping { try AudioFileReader(path: url.path) }
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
