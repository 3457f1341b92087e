import AudioCore
import AudioIO

extension Signature {
    /// The signature of an audio file, read block by block.
    ///
    /// - Throws: `AudioFileError` or `FingerprintingError` with the path.
    public init(
        ofAudioFile path: String, settings: Settings = Settings(), detail: Detail = .reference
    ) throws {
        try self.init(of: AudioFileReader(path: path), name: path, settings: settings, detail: detail)
    }

    /// The signature of an open audio file, which is read to its end; errors call it `name`.
    ///
    /// - Throws: `AudioFileError` or `FingerprintingError`.
    package init(
        of reader: AudioFileReader, name: String, settings: Settings = Settings(), detail: Detail = .reference
    ) throws {
        let fft = TransformPool.shared.borrow()
        defer { TransformPool.shared.giveBack(fft) }
        do {
            var extractor = try SignatureExtractor(
                sampleRate: reader.sampleRate, channelCount: reader.channelCount, settings: settings,
                detail: detail, fft: fft)
            while try reader.withNextBlock(maxFrames: Self.blockFrames, { try extractor.append($0) }) != nil {
            }
            self = try extractor.finish()
        } catch let error as FingerprintingError {
            throw FingerprintingError(error.code, "\(name): \(error.description)")
        }
    }

    /// A block of the downmix, which fits in the first-level cache.
    private static let blockFrames = Downmix.blockFrames
}
