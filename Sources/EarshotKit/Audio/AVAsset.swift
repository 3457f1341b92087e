import AudioCore
import AudioIO

/// Audio, or video with audio, in a file.
open class AVAsset: NSObject, @unchecked Sendable {
    // Sendable: nothing changes after the initialiser.
    private let location: URL

    /// Names the file, of which nothing is read yet, so that nothing can fail.
    public init(url: URL) {
        location = url
    }

    /// Reads the audio from its beginning to its end, up to 65,536 frames at a time; several tracks are mixed as their mean.
    /// - Throws: `AudioFileError` when there is no such file or no audio in it, and what `body` throws.
    package func readAudio(_ body: (AudioBuffer) throws -> Void) throws {
        guard location.isFileURL else {
            throw AudioFileError(
                .notAFile, path: location.absoluteString, "not the URL of a file (file:///…)")
        }
        let reader = try AudioFileReader(path: location.path)
        while let block = try reader.read(maxFrames: 65_536) { try body(block) }
    }
}

/// An asset at a URL.
public final class AVURLAsset: AVAsset, @unchecked Sendable {
    /// Where the file is.
    public let url: URL

    /// Names the file, of which nothing is read yet; no option has an effect.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        super.init(url: url)
    }
}
