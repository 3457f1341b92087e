import AudioCore
import AudioIO
import EarshotKit
import TestSupport
import Testing

struct AVAssetTests {
    @Test func theWholeFileIsRead() throws {
        let folder = try TemporaryFolder()
        let audio = TestSignals.noise(seed: 7, seconds: 5, sampleRate: 48_000, channelCount: 2)
        let path = folder.file("noise.wav")
        try AudioFile.write(audio, to: path, as: #require(AudioEncoding("wav-float")))
        for asset in [
            AVAsset(url: URL(fileURLWithPath: path)), AVURLAsset(url: URL(fileURLWithPath: path)),
        ] {
            var planes: [[Float]] = [[], []]
            try asset.readAudio { block in
                #expect(block.sampleRate == 48_000)
                for channel in 0..<2 { planes[channel] += block.channel(channel) }
            }
            #expect(planes.flatMap { $0 } == audio.samples)
        }
        #expect(AVURLAsset(url: URL(fileURLWithPath: path)).url.path == path)
    }

    @Test func missingFilesAndOtherURLsAreErrors() throws {
        for (address, code) in [
            ("https://example.org/a.mp4", AudioFileError.Code.notAFile), ("file:///nowhere/a.mp4", .missing),
        ] {
            let asset = AVURLAsset(url: try #require(URL(string: address)))
            let error = #expect(throws: AudioFileError.self) { try asset.readAudio { _ in } }
            #expect(error?.code == code)
        }
    }
}
