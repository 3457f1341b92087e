import AudioCore
import AudioIO
import EarshotKit
import Fingerprinting
import KitTestSupport
import SystemIO
import TestSupport
import Testing

/// Signatures of whole assets.
@Suite struct AssetSignatureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ audio: AudioBuffer) throws -> URL {
        let encoding = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(audio, to: folder.file(name), as: encoding)
        return URL(fileURLWithPath: folder.file(name))
    }

    @Test func anAssetHasTheSignatureOfItsAudio() async throws {
        let url = try file("song.wav", SongBook.songs[2].render())
        let signature = try await SHSignatureGenerator.signature(from: AVURLAsset(url: url))
        #expect(signature.duration == 30)
        #expect(
            signature.signature.peaks
                == (try SignatureExtractor.signature(
                    of: AudioFile.read(url.path), detail: .query)).peaks)
    }

    /// The reader would go on with silence in place of what is damaged.
    @Test func aDamagedAssetIsError200() async throws {
        var bytes = try AudioFile.encode(SongBook.songs[2].render(), as: #require(AudioEncoding("flac-16")))
        for place in (bytes.count / 2)..<(bytes.count / 2 + 3000) { bytes[place] = UInt8(place & 0xFF) }
        try AtomicFile.write(bytes, to: folder.file("bad.flac"))
        let asset = AVURLAsset(url: URL(fileURLWithPath: folder.file("bad.flac")))
        let error = await #expect(throws: SHError.self) {
            try await SHSignatureGenerator.signature(from: asset)
        }
        #expect(error?.code == .signatureInvalid)
        #expect(error?.message.contains("bad.flac: damaged at 1") == true, "\(error as Any)")
    }

    @Test func theCallbackFormGivesTheSameSignature() async throws {
        let asset = AVAsset(url: try file("song.wav", SongBook.songs[2].render(from: 0, seconds: 5)))
        let (signature, error) = await withCheckedContinuation { continuation in
            SHSignatureGenerator.generateSignature(from: asset) {
                continuation.resume(returning: ($0, $1 as? SHError))
            }
        }
        #expect(try await signature == SHSignatureGenerator.signature(from: asset))
        #expect(error == nil)
    }

    @Test func assetsWithoutAudioAreError200() async throws {
        let text = folder.file("text.wav")
        try AtomicFile.write("no audio at all", to: text)
        let remote = try #require(URL(string: "https://example.org/a.wav"))
        for url in [
            URL(fileURLWithPath: folder.file("missing.wav")), URL(fileURLWithPath: text), remote,
            try file("silence.wav", AudioBuffer(silentFrames: 32_000, sampleRate: 16_000)),
            try file("short.wav", SongBook.songs[0].render(from: 5, seconds: 0.01)),
        ] {
            let error = await #expect(throws: SHError.self) {
                try await SHSignatureGenerator.signature(from: AVAsset(url: url))
            }
            #expect(error?.code == .signatureInvalid, "\(url)")
            let (signature, other) = await withCheckedContinuation { continuation in
                SHSignatureGenerator.generateSignature(from: AVAsset(url: url)) {
                    continuation.resume(returning: ($0, $1 as? SHError))
                }
            }
            #expect(signature == nil && other == error)
        }
    }
}
