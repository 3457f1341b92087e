import AudioCore
import AudioIO
import TestSupport
import Testing

@Suite struct OggStreamTests {
    private static let audio = AudioBuffer(
        samples: (0..<72_000).map { Float($0 % 97) / 200 - 0.2 }, sampleRate: 24_000)

    @Test func equalAudioGivesEqualBytesThatDecodeAlike() throws {
        let encoding = try #require(AudioEncoding("ogg-opus-24k"))
        let bytes = try AudioFile.encode(Self.audio, as: encoding)
        let one = OggStream.renumbered(bytes)
        #expect(one.count == bytes.count && one != bytes)
        #expect(OggStream.renumbered(one) == one)
        #expect(OggStream.renumbered(try AudioFile.encode(Self.audio, as: encoding)) == one)
        // libsndfile drops pages whose checksum is wrong.
        #expect(try AudioFile.decode(one, name: "one") == AudioFile.decode(bytes, name: "bytes"))
    }

    @Test func incompletePagesStayUnchanged() throws {
        let encoding = try #require(AudioEncoding("ogg-vorbis-q0.3"))
        let bytes = OggStream.renumbered(try AudioFile.encode(Self.audio, as: encoding))
        for count in [0, 3, 26, 27, 30, bytes.count - 1] {
            let cut = Array(bytes.prefix(count))
            #expect(OggStream.renumbered(cut) == cut)
        }
        let noise = [UInt8]("OggS but not really, with some more text behind".utf8)
        #expect(OggStream.renumbered(noise) == noise)
    }
}
