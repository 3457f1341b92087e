import AudioCore
import EarshotKit
import Testing

struct AVAudioPCMBufferTests {
    @Test(arguments: AVAudioFormatTests.kinds, [true, false])
    func samplesWrittenByPointerAreReadAsFloats(kind: AVAudioCommonFormat, interleaved: Bool) throws {
        let format = try #require(
            AVAudioFormat(commonFormat: kind, sampleRate: 8000, channels: 2, interleaved: interleaved))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 10))
        #expect(buffer.stride == (interleaved ? 2 : 1))
        #expect(buffer.frameLength == 0)
        #expect(try buffer.samples().isEmpty)
        buffer.frameLength = 7
        #expect(try buffer.samples() == AudioBuffer(silentFrames: 7, sampleRate: 8000, channelCount: 2))
        let values: [Float] = [-1, -0.5, 0, 0.25, 0.5, 0.75, 0.125]
        for frame in 0..<7 {
            for channel in 0..<2 {
                let value = channel == 0 ? values[frame] : -0.5 * values[frame]
                let place = frame * buffer.stride
                buffer.floatChannelData?[channel][place] = value
                buffer.int16ChannelData?[channel][place] = Int16(value * 32_768)
                buffer.int32ChannelData?[channel][place] = Int32(Double(value) * 2_147_483_648)
            }
        }
        #expect((buffer.floatChannelData != nil) == (kind == .pcmFormatFloat32))
        #expect((buffer.int16ChannelData != nil) == (kind == .pcmFormatInt16))
        #expect((buffer.int32ChannelData != nil) == (kind == .pcmFormatInt32))
        // 64-bit floats come only from files and converters.
        guard kind != .pcmFormatFloat64 else { return }
        let read = try buffer.samples()
        #expect(read.channel(0) == values)
        #expect(read.channel(1) == values.map { -0.5 * $0 })
        #expect(read.sampleRate == 8000)
    }

    @Test func channelLayoutFollowsTheFormat() throws {
        for interleaved in [true, false] {
            let format = try #require(
                AVAudioFormat(
                    commonFormat: .pcmFormatInt16, sampleRate: 8000, channels: 3, interleaved: interleaved))
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 5))
            let data = try #require(buffer.int16ChannelData)
            #expect(data[1] - data[0] == (interleaved ? 1 : 5))
            #expect(data[2] - data[0] == (interleaved ? 2 : 10))
        }
    }

    @Test func copiesAreEqualAndIndependent() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 8000, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4))
        buffer.frameLength = 3
        let data = try #require(buffer.floatChannelData)
        data[0][2] = 0.5
        let copy = try #require(buffer.copy() as? AVAudioPCMBuffer)
        data[0][2] = 0.25
        #expect(copy.frameCapacity == 4)
        #expect(copy.format == format)
        #expect(try copy.samples().samples == [0, 0, 0.5])
    }

    @Test(arguments: [999.0, 44_100.5, 768_001, 1e300])
    func ratesThatCannotBeAnalysedAreInvalidFormats(rate: Double) throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: rate, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4))
        let error = #expect(throws: SHError.self) { try buffer.samples() }
        #expect(error?.code == .invalidAudioFormat)
        #expect(error?.message.contains("\(rate)") == true)
    }

    @Test func zeroCapacityIsValidAndHugeCapacityIsRefused() throws {
        let small = try #require(AVAudioFormat(standardFormatWithSampleRate: 8000, channels: 1))
        let empty = try #require(AVAudioPCMBuffer(pcmFormat: small, frameCapacity: 0))
        #expect(try empty.samples().isEmpty)
        let wide = try #require(
            AVAudioFormat(commonFormat: .pcmFormatFloat64, sampleRate: 8000, channels: 64, interleaved: true))
        #expect(AVAudioPCMBuffer(pcmFormat: wide, frameCapacity: .max) == nil)
    }
}
