import AudioCore
import Testing

struct AudioBufferTests {
    private let stereo = AudioBuffer(samples: [1, 2, 3, -1, -2, -5], sampleRate: 8000, channelCount: 2)

    @Test func interleavingRoundTrips() {
        #expect(stereo.interleaved == [1, -1, 2, -2, 3, -5])
        let back = stereo.interleaved.withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: 8000, channelCount: 2)
        }
        #expect(back == stereo)
    }

    @Test func incompleteLastFrameIsDropped() {
        let buffer = [1, 2, 3, 4, 5].withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: 8000, channelCount: 2)
        }
        #expect(buffer.channel(0) == [1, 3])
        #expect(buffer.channel(1) == [2, 4])
    }

    @Test func channelsAreThePlanes() {
        #expect(stereo.frameCount == 3)
        #expect(stereo.channel(0) == [1, 2, 3])
        #expect(stereo.withChannel(1) { Array($0) } == [-1, -2, -5])
        var changed = stereo
        changed.withMutableChannel(1) { $0[0] = 9 }
        #expect(changed.channel(0) == [1, 2, 3])
        #expect(changed.channel(1) == [9, -2, -5])
    }

    @Test func monoIsTheMean() {
        #expect(stereo.mono() == [0, 0, -1])
        #expect(AudioBuffer(samples: [0.5, -0.25], sampleRate: 8000).mono() == [0.5, -0.25])
    }

    @Test func framesCutAllChannels() {
        let cut = stereo.frames(1..<3)
        #expect(cut.channel(0) == [2, 3])
        #expect(cut.channel(1) == [-2, -5])
        #expect(stereo.frames(0..<3) == stereo)
        #expect(stereo.frames(2..<2).isEmpty)
    }

    @Test func mapChannelsMayChangeLengthAndRate() {
        let mapped = stereo.mapChannels(sampleRate: 4000) { [$0[0]] }
        #expect(mapped == AudioBuffer(samples: [1, -1], sampleRate: 4000, channelCount: 2))
    }

    @Test func powersAndPeak() {
        #expect(stereo.peak == 5)
        #expect(stereo.meanPower == 44.0 / 6)
        let offset = AudioBuffer(samples: [3, 5, 3, 5], sampleRate: 8000)
        #expect(offset.meanPowerAC == 1)
        let none = AudioBuffer(silentFrames: 0, sampleRate: 8000, channelCount: 2)
        #expect(none.meanPower == 0 && none.meanPowerAC == 0 && none.peak == 0 && none.durationSeconds == 0)
    }

    @Test func decibelsInvert() {
        for decibels in [-60.0, -3, 0, 20] {
            // A few roundings in double precision.
            #expect(abs(Decibels.fromPowerRatio(Decibels.powerRatio(decibels)) - decibels) < 1e-12)
            let ratio = Decibels.powerRatio(decibels)
            #expect(abs(Decibels.amplitudeRatio(2 * decibels) - ratio) < 1e-12 * ratio)
        }
    }
}
