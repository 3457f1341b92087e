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
        let reader = try reader()
        while let block = try reader.read(maxFrames: 65_536) { try body(block) }
        if let damage = reader.damage { throw damage.error(path: location.path) }
    }

    private func reader() throws -> AudioFileReader {
        guard location.isFileURL else {
            throw AudioFileError(
                .notAFile, path: location.absoluteString, "not the URL of a file (file:///…)")
        }
        return try AudioFileReader(path: location.path)
    }
}

extension AVAsset {
    /// The value of a property, such as `.duration` or `.tracks`.
    ///
    /// Reads the audio to its end, because headers can be wrong.
    ///
    /// - Throws: `AVFAudioError` if the file is missing, has no audio or cannot be read.
    public func load<Value>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value {
        try await property.value(content())
    }

    /// The values of two properties, as ``load(_:)`` does.
    public func load<First, Second>(
        _ first: AVAsyncProperty<AVAsset, First>, _ second: AVAsyncProperty<AVAsset, Second>
    ) async throws -> (First, Second) {
        let content = try await content()
        return (first.value(content), second.value(content))
    }

    /// The tracks of a kind.
    ///
    /// Only those of audio are known.
    ///
    /// - Throws: `AVFAudioError`, as ``load(_:)`` does.
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(.tracks).filter { $0.mediaType == mediaType }
    }

    private func content() async throws -> AssetContent {
        try await onBlockingThread { [self] in
            try AVFAudioError.mapping {
                let reader = try reader()
                return AssetContent(
                    duration: CMTime(value: Int64(try reader.skip()), timescale: Int32(reader.sampleRate)),
                    trackCount: reader.trackCount)
            }
        }
    }
}

/// What an asset has, once it was read.
struct AssetContent: Sendable {
    let duration: CMTime
    let trackCount: Int
}

/// A property of an asset, to be loaded.
public struct AVAsyncProperty<Root, Value>: Sendable {
    let value: @Sendable (AssetContent) -> Value
}

extension AVAsyncProperty where Root == AVAsset, Value == CMTime {
    /// The length of the audio that can be decoded.
    public static var duration: Self { Self { $0.duration } }
}

extension AVAsyncProperty where Root == AVAsset, Value == [AVAssetTrack] {
    /// The tracks of audio.
    public static var tracks: Self {
        Self { content in (0..<content.trackCount).map { AVAssetTrack(trackID: Int32($0 + 1)) } }
    }
}

/// A track of an asset.
public final class AVAssetTrack: NSObject, Sendable {
    /// The number of the track among those of audio, from 1.
    public let trackID: Int32
    /// What the track holds.
    public let mediaType = AVMediaType.audio

    init(trackID: Int32) { self.trackID = trackID }
}

/// What a track holds.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// The code of the kind.
    public let rawValue: String

    /// Takes a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Pictures.
    public static let video = AVMediaType(rawValue: "vide")
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
