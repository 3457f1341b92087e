import EarshotKit
import Testing

struct AVAudioFormatTests {
    static let kinds: [AVAudioCommonFormat] = [
        .pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32,
    ]

    @Test(arguments: kinds, [true, false])
    func formatsHaveTheRequestedProperties(kind: AVAudioCommonFormat, interleaved: Bool) throws {
        let format = try #require(
            AVAudioFormat(commonFormat: kind, sampleRate: 44_100, channels: 3, interleaved: interleaved))
        #expect(format.commonFormat == kind)
        #expect(format.sampleRate == 44_100)
        #expect(format.channelCount == 3)
        #expect(format.isInterleaved == interleaved)
        #expect(format.isStandard == (kind == .pcmFormatFloat32 && !interleaved))
        let stream = format.streamDescription.pointee
        #expect(stream.mBytesPerFrame == stream.mBitsPerChannel / 8 * (interleaved ? 3 : 1))
    }

    @Test(arguments: kinds, [true, false])
    func settingsAndStreamDescriptionRoundTrip(kind: AVAudioCommonFormat, interleaved: Bool) throws {
        let format = try #require(
            AVAudioFormat(commonFormat: kind, sampleRate: 16_000, channels: 2, interleaved: interleaved))
        #expect(AVAudioFormat(settings: format.settings) == format)
        #expect(AVAudioFormat(streamDescription: format.streamDescription) == format)
        #expect(AVAudioFormat(settings: format.settings)?.hash == format.hash)
    }

    @Test func formatsThatDifferAnywhereAreNotEqual() throws {
        let formats = try [
            (AVAudioCommonFormat.pcmFormatFloat32, 48_000.0, UInt32(1), false),
            (.pcmFormatInt32, 48_000, 1, false), (.pcmFormatFloat32, 44_100, 1, false),
            (.pcmFormatFloat32, 48_000, 2, false), (.pcmFormatFloat32, 48_000, 1, true),
        ].map {
            try #require(
                AVAudioFormat(commonFormat: $0.0, sampleRate: $0.1, channels: $0.2, interleaved: $0.3))
        }
        #expect(Set(formats).count == formats.count)
        #expect(formats[0] == AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        #expect(!formats[0].isEqual("a format"))
    }

    @Test(arguments: [(0.0, 1), (-1, 1), (.nan, 1), (.infinity, 1), (48_000, 0), (48_000, 65)])
    func invalidRatesAndChannelsAreRefused(rate: Double, channels: Int) {
        let channels = AVAudioChannelCount(channels)
        #expect(AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels) == nil)
        #expect(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate,
                AVNumberOfChannelsKey: Int(channels),
            ]) == nil)
        var stream = AudioStreamBasicDescription(mSampleRate: rate, mChannelsPerFrame: channels)
        #expect(AVAudioFormat(streamDescription: &stream) == nil)
    }

    @Test func settingsTakeNumbersOfEveryKind() throws {
        let format = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: Float(32_000),
                AVNumberOfChannelsKey: NSNumber(value: 2), AVLinearPCMBitDepthKey: UInt8(32),
                AVLinearPCMIsFloatKey: true,
            ]))
        #expect(format.commonFormat == .pcmFormatFloat32)
        #expect(format.isInterleaved)
        let plain = AVAudioFormat(settings: [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1,
        ])
        #expect(plain?.commonFormat == .pcmFormatInt16)
    }

    @Test(arguments: [
        [AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1],
        [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVNumberOfChannelsKey: 1],
        [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 8000],
        [
            AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1,
            AVLinearPCMBitDepthKey: 12,
        ],
        [AVFormatIDKey: -1, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1],
        [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1 << 40],
    ])
    func incompleteAndInvalidSettingsAreRefused(settings: [String: Int]) {
        #expect(AVAudioFormat(settings: settings) == nil)
    }

    @Test func otherFormatsHaveNoCommonType() throws {
        #expect(
            AVAudioFormat(commonFormat: .otherFormat, sampleRate: 8000, channels: 1, interleaved: false)
                == nil)
        let wide = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1,
                AVLinearPCMBitDepthKey: 24,
            ]))
        #expect(wide.commonFormat == .otherFormat)
        let bigEndian = AVAudioFormat(
            settings: wide.settings.merging([AVLinearPCMIsBigEndianKey: true]) { $1 })
        #expect(bigEndian != wide)
        #expect(AVAudioPCMBuffer(pcmFormat: wide, frameCapacity: 1) == nil)
    }
}
