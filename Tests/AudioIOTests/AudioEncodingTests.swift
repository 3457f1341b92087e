import AudioCore
import AudioIO
import Foundation
import SignalProcessing
import TestSupport
import Testing

struct AudioEncodingTests {
    /// The encodings of this machine.
    static let offered = AudioEncoding.all.filter { $0.absence == nil }

    /// Every encoding at every usual rate that it accepts.
    static let offers: [(encoding: AudioEncoding, rate: Int)] = offered.flatMap { encoding in
        ResamplerTests.rates.filter { encoding.takes(sampleRate: $0) }.map { (encoding, $0) }
    }

    /// The delay of MP3 without a LAME tag, 576 samples of the encoder and 529 of the decoder.
    private static let untaggedMP3Delay = 1105.0

    @Test(arguments: offers)
    func roundTripKeepsTheSignal(encoding: AudioEncoding, rate: Int) throws {
        let left = TestSignals.bandNoise(seed: 5, seconds: 0.4, sampleRate: rate)
        let right = TestSignals.bandNoise(seed: 6, seconds: 0.4, sampleRate: rate)
        let stereo = AudioBuffer(samples: left.samples + right.samples, sampleRate: rate, channelCount: 2)
        let expected = Expectation(of: encoding)
        for audio in encoding.maxChannels >= 2 ? [left, stereo] : [left] {
            let decoded = try AudioFile.coded(audio, as: encoding)
            #expect(decoded.sampleRate == rate)
            #expect(decoded.channelCount == audio.channelCount)
            // Block codecs fill their last block.
            #expect(decoded.frameCount >= audio.frameCount)
            #expect(decoded.frameCount <= audio.frameCount + 4100)
            let level = Decibels.fromPowerRatio(
                decoded.meanPower * Double(decoded.frameCount) / (audio.meanPower * Double(audio.frameCount)))
            #expect(abs(level) < expected.levelDecibels, "level \(level) dB")
            for channel in 0..<audio.channelCount {
                let found = CrossCorrelation.bestLag(
                    of: decoded.channel(channel), in: audio.channel(channel), maxLag: 2100)
                #expect(found.coefficient > expected.coefficient, "coefficient \(found.coefficient)")
                // The delay of what a program encodes is its own, up to 2048 samples of AAC.
                guard encoding.program == nil else { continue }
                let delay = abs(found.lag) > 500 ? found.lag - Self.untaggedMP3Delay : found.lag
                #expect(abs(delay) / Double(rate) < expected.delaySeconds, "lag \(found.lag) samples")
                #expect(delay == found.lag || encoding.fileExtension == "mp3")
            }
        }
    }

    /// The allowed changes of a signal of 300 to 3000 Hz.
    private struct Expectation {
        var coefficient = 0.9999
        var levelDecibels = 0.01
        /// A tenth of a millisecond is a fifth of the allowed error of the truth.
        var delaySeconds = 0.000_1

        init(of encoding: AudioEncoding) {
            let name = encoding.name
            if name == "wav-pcm-u8" || name.hasSuffix("law") { (coefficient, levelDecibels) = (0.9995, 0.05) }
            if name.hasSuffix("adpcm") { (coefficient, levelDecibels) = (0.95, 1.5) }
            // With its headroom of 2.5 dB.
            if name == "au-g721" { (coefficient, levelDecibels) = (0.99, 2.7) }
            if name == "wav-gsm610" { (coefficient, levelDecibels) = (0.7, 2.5) }
            // Stereo codecs at low bitrates lose much of the difference between two unrelated channels.
            if name.hasPrefix("ogg-vorbis") { (coefficient, levelDecibels) = (0.8, 1) }
            if name.hasPrefix("ogg-opus") { (coefficient, levelDecibels) = (0.45, 8) }
            if name == "ogg-opus-6k" { coefficient = 0.2 }
            if name.hasPrefix("aac") || name.hasPrefix("sbc") { (coefficient, levelDecibels) = (0.6, 1.5) }
            if name.hasPrefix("amr") || name.hasPrefix("g722") { (coefficient, levelDecibels) = (0.6, 4) }
            // LAME lowers the level by 0.45 dB at low bitrates.
            if name.hasPrefix("mp3") { (coefficient, levelDecibels) = (0.7, 1.5) }
        }
    }

    @Test(arguments: [
        ("wav-pcm-u8", 8), ("wav-pcm16", 16), ("wav-pcm24", 24), ("wav-pcm32", 24), ("flac-16", 16),
        ("flac-24", 24),
        ("caf-alac16", 16), ("caf-alac24", 24),
    ])
    func exactEncodingsAreBitExact(name: String, bits: Int) throws {
        let encoding = try #require(AudioEncoding(name))
        var generator = SeededGenerator(seed: 8)
        let half = 1 << (bits - 1)
        var samples = (0..<8000).map { _ in Float(generator.index(below: 2 * half) - half) / Float(half) }
        samples[0] = -1
        samples[1] = Float(half - 1) / Float(half)
        let audio = AudioBuffer(
            samples: samples, sampleRate: 44_100, channelCount: min(2, encoding.maxChannels))
        #expect(try AudioFile.decode(AudioFile.encode(audio, as: encoding), name: name) == audio)
    }

    @Test func floatEncodingsKeepEveryBitBeyondFullScale() throws {
        let audio = AudioBuffer(samples: [0, -0.0, 1e-30, 3.5, -7, 0.1], sampleRate: 8000)
        for name in ["wav-float", "wav-double"] {
            let encoding = try #require(AudioEncoding(name))
            #expect(try AudioFile.decode(AudioFile.encode(audio, as: encoding), name: name) == audio)
        }
    }

    @Test(
        arguments: offered.filter {
            $0.takes(sampleRate: 8000) && !["mp3", "opus", "aac"].contains($0.fileExtension)
        })
    func overloadClipsAndNeverWraps(encoding: AudioEncoding) throws {
        let sine = TestSignals.sine(frequency: 200, amplitude: 4, seconds: 0.5, sampleRate: 8000)
        let decoded = try AudioFile.coded(sine, as: encoding)
        let inner = zip(sine.samples, decoded.samples).filter { abs($0.0) > 2 }
        #expect(inner.count > 1000)
        // A sample that wraps around would change its sign.
        let kept = inner.filter { $0.0 * $0.1 > 0 }
        #expect(Double(kept.count) > 0.99 * Double(inner.count))
    }

    @Test(arguments: AudioEncoding.all)
    func ratesAndChannelsBeyondTheOfferAreErrors(encoding: AudioEncoding) {
        let rate = encoding.nearestRate(to: 16_000) ?? 44_100
        #expect(throws: AudioFileError.self) {
            try AudioFile.encode(AudioBuffer(silentFrames: 10, sampleRate: 900), as: encoding)
        }
        #expect(throws: AudioFileError.self) {
            try AudioFile.encode(
                AudioBuffer(silentFrames: 10, sampleRate: rate, channelCount: encoding.maxChannels + 1),
                as: encoding)
        }
        #expect(throws: AudioFileError.self) {
            try AudioFile.encode(AudioBuffer(silentFrames: 0, sampleRate: rate), as: encoding)
        }
    }

    @Test(arguments: offered)
    func mostChannelsRoundTrip(encoding: AudioEncoding) throws {
        let rate = try #require(
            encoding.nearestRate(to: encoding.fileExtension == "mp3" ? 32_000 : 48_000)
                ?? encoding.nearestRate(to: 24_000))
        let audio = AudioBuffer(
            samples: (0..<encoding.maxChannels).flatMap { channel in
                TestSignals.sine(
                    frequency: 440, amplitude: 0.1 + 0.01 * Double(channel), seconds: 0.5, sampleRate: rate
                )
                .samples
            }, sampleRate: rate, channelCount: encoding.maxChannels)
        let decoded = try AudioFile.coded(audio, as: encoding)
        #expect(decoded.channelCount == encoding.maxChannels)
        #expect(abs(Decibels.fromPowerRatio(decoded.meanPower / audio.meanPower)) < 3)
    }

    /// What a codec of calls does to audio of any rate, and where the band of every encoding ends, in hertz.
    @Test(arguments: offered)
    func ratesAndBandsAreThoseOfTheCodec(encoding: AudioEncoding) throws {
        let calls = ["wav-gsm610": 8000, "au-g721": 8000, "g722-64k": 16_000]
        let own =
            calls[encoding.name]
            ?? (encoding.name.hasPrefix("amr-nb") ? 8000 : encoding.name.hasPrefix("amr-wb") ? 16_000 : nil)
        for rate in ResamplerTests.rates {
            if let own {
                #expect(encoding.nearestRate(to: rate) == own)
                #expect(encoding.takes(sampleRate: rate) == (rate == own))
            } else if encoding.takes(sampleRate: rate) {
                #expect(encoding.nearestRate(to: rate) == rate)
            }
        }
        let rate = try #require(encoding.nearestRate(to: 44_100) ?? encoding.nearestRate(to: 16_000))
        let noise = TestSignals.noise(seed: 4, amplitude: 0.2, seconds: 2, sampleRate: rate)
        let band = Self.bandHertz(try AudioFile.coded(noise, as: encoding))
        let expected = own.map { Double($0) / 2 } ?? Double(rate) / 2
        #expect(band <= expected)
        // GSM and AMR leave out little below the half of their rate; codecs of music may leave out the highest octave.
        #expect(band > (own == nil ? 0.1 : 0.75) * expected, "\(band) Hz")
    }

    /// The frequency below which 95 % of the power is.
    private static func bandHertz(_ audio: AudioBuffer) -> Double {
        let size = 4096
        let fft = RealFFT(size: size)
        let window = Window.hann(size)
        var sum = [Double](repeating: 0, count: fft.binCount)
        var power = [Float](repeating: 0, count: fft.binCount)
        for start in stride(from: 0, through: audio.frameCount - size, by: size / 2) {
            fft.power((0..<size).map { audio.samples[start + $0] * window[$0] }, into: &power)
            for bin in sum.indices { sum[bin] += Double(power[bin]) }
        }
        var left = 0.95 * sum.reduce(0, +)
        let bin = sum.firstIndex { power in
            left -= power
            return left <= 0
        }
        return Double(bin ?? 0) * Double(audio.sampleRate) / Double(size)
    }

    @Test func whatThisMachineLacksSaysWhy() {
        for encoding in AudioEncoding.all {
            guard let absence = encoding.absence else { continue }
            #expect(absence.contains(encoding.name) && absence.contains("ffmpeg"))
        }
    }

    @Test func nearestRates() throws {
        let opus = try #require(AudioEncoding("ogg-opus-24k"))
        let offered = ResamplerTests.rates.map { opus.nearestRate(to: $0) }
        #expect(
            offered == [
                8000, 12_000, 12_000, 16_000, 24_000, 24_000, nil, nil, 48_000, 48_000, nil, nil, nil, nil,
            ])
        let mp3 = try #require(AudioEncoding("mp3-64k"))
        #expect(mp3.nearestRate(to: 37_800) == nil)
        #expect(mp3.nearestRate(to: 44_100) == 44_100)
        #expect(mp3.nearestRate(to: 96_000) == nil)
        #expect(try #require(AudioEncoding("mp3-128k")).nearestRate(to: 8000) == nil)
        #expect(try #require(AudioEncoding("wav-pcm16")).nearestRate(to: 37_800) == 37_800)
        #expect(try #require(AudioEncoding("flac-24")).nearestRate(to: 192_000) == 192_000)
    }

    @Test func itsNameTellsAnEncoding() {
        #expect(AudioEncoding.all.allSatisfy { AudioEncoding($0.name) == $0 })
        #expect(AudioEncoding("no-such") == nil)
    }
}
