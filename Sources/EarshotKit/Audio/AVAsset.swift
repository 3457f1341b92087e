import AudioCore
import AudioIO

/// Audio, or video with audio, in a file.
open class AVAsset: NSObject, @unchecked Sendable {
    // Sendable: immutable after init.
    private let location: URL

    /// Stores the URL; the file is opened later.
    public init(url: URL) { location = url }

    /// Reads all audio in blocks of up to 65,536 frames; several tracks are averaged.
    /// - Throws: `AudioFileError` if the file is missing, has no audio or is damaged, the latter at the end; errors of
    ///   `body`.
    package func readAudio(_ body: (AudioBuffer) throws -> Void) throws {
        guard location.isFileURL else {
            throw AudioFileError(
                .notAFile, path: location.absoluteString, "not the URL of a file (file:///…)")
        }
        let reader = try AudioFileReader(path: location.path)
        while let block = try reader.read(maxFrames: 65_536) { try body(block) }
        if let damage = reader.damage {
            throw AudioFileError(.damaged, path: location.path, damage.description)
        }
    }
}

/// An asset at a URL.
public final class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The location of the file.
    public let url: URL

    /// Stores the URL; the file is opened later, and `options` are ignored.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        super.init(url: url)
    }
}
