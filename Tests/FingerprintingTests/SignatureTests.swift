import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// The invariances and the precision of signatures.
struct SignatureTests {
    private let song = ScoreSong(seed: 11, seconds: 12)

    private func signature(_ audio: AudioBuffer, blocks: [Int]) throws -> Signature {
        var extractor = try SignatureExtractor(sampleRate: audio.sampleRate, channelCount: audio.channelCount)
        var start = 0
        var turn = 0
        while start < audio.frameCount {
            let end = min(start + blocks[turn % blocks.count], audio.frameCount)
            try extractor.append(audio.frames(start..<end))
            start = end
            turn += 1
        }
        return try extractor.finish()
    }

    private func share(of a: Signature, in b: Signature) -> Double {
        let there = Set(b.peaks.map { [$0.time, UInt32($0.frequency)] })
        let kept = a.peaks.filter { peak in
            (-1...1).contains { time in
                (-1...1).contains {
                    there.contains([UInt32(Int(peak.time) + time), UInt32(Int(peak.frequency) + $0)])
                }
            }
        }
        return Double(kept.count) / Double(max(1, a.peaks.count))
    }

    @Test func blocksChangeNothing() throws {
        let left = song.render(from: 0, seconds: 3, sampleRate: 44_100)
        let right = song.render(from: 1, seconds: 3, sampleRate: 44_100)
        let audio = AudioBuffer(samples: left.samples + right.samples, sampleRate: 44_100, channelCount: 2)
        let whole = try SignatureExtractor.signature(of: audio)
        #expect(whole.peaks.count > 30)
        for blocks in [[1], [7], [4096], [4095, 4097], [100_000, 1]] {
            #expect(try signature(audio, blocks: blocks) == whole, "blocks of \(blocks)")
        }
    }

    // Files have samples in their stored form, audio in memory has planes of floats.
    @Test(arguments: ["wav-pcm16", "wav-float", "flac-16", "wav-pcm24", "ogg-vorbis-q0.6"], [1, 2, 3])
    func filesAndMemoryGiveTheSame(encoding name: String, channelCount: Int) throws {
        let encoding = try #require(AudioEncoding(name))
        let planes = (0..<channelCount).flatMap {
            song.render(from: Double($0), seconds: 4, sampleRate: 44_100).samples
        }
        let audio = AudioBuffer(samples: planes, sampleRate: 44_100, channelCount: channelCount)
        let folder = try TemporaryFolder()
        let path = folder.file("song.\(encoding.fileExtension)")
        try AudioFile.write(audio, to: path, as: encoding)
        let whole = try SignatureExtractor.signature(of: AudioFile.read(path))
        #expect(whole.peaks.count > 40)
        #expect(try Signature(ofAudioFile: path) == whole)
        let query = try SignatureExtractor.signature(of: AudioFile.read(path), detail: .query)
        #expect(try Signature(ofAudioFile: path, detail: .query) == query)
        for frames in [1, 7, 4096, 10_000] {
            let reader = try AudioFileReader(path: path)
            var extractor = try SignatureExtractor(sampleRate: 44_100, channelCount: channelCount)
            while try reader.withNextBlock(maxFrames: frames, { try extractor.append($0) }) != nil {}
            #expect(try extractor.finish() == whole, "blocks of \(frames)")
        }
    }

    @Test func densityIsThatOfTheDesign() throws {
        let signature = try SignatureExtractor.signature(of: song.render())
        let rate = Double(signature.peaks.count) / signature.durationSeconds
        #expect(rate > 14 && rate < 28)
        #expect(signature.peaks.allSatisfy { $0.rank < 3 })
        #expect(zip(signature.peaks, signature.peaks.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    // Exact except near the floor of 10⁻⁷, which a lower level brings closer. The song has nothing in the high band, so
    // noise fills it.
    @Test(arguments: [(-60.0, 0.85), (-20.0, 0.95), (6.0, 0.97), (20.0, 0.95)])
    func levelChangesLittle(decibels: Double, least: Double) throws {
        let clean = song.render()
        let noise = TestSignals.noise(seed: 2, amplitude: 0.05, seconds: 12, sampleRate: clean.sampleRate)
        let audio = AudioBuffer(
            samples: zip(clean.samples, noise.samples).map { $0 + $1 }, sampleRate: clean.sampleRate)
        let factor = Float(Decibels.amplitudeRatio(decibels))
        let other = AudioBuffer(samples: audio.samples.map { $0 * factor }, sampleRate: audio.sampleRate)
        let original = try SignatureExtractor.signature(of: audio)
        let scaled = try SignatureExtractor.signature(of: other)
        #expect(share(of: original, in: scaled) > least)
    }

    @Test func gentleEqualisationKeepsMostPeaks() throws {
        let audio = song.render()
        // A one-pole shelf: 12 dB from the bottom to the top of the band.
        var state: Float = 0
        let shelved = audio.samples.map { sample -> Float in
            state += 0.25 * (sample - state)
            return 0.25 * sample + 0.75 * state
        }
        let original = try SignatureExtractor.signature(of: audio)
        let other = try SignatureExtractor.signature(
            of: AudioBuffer(samples: shelved, sampleRate: audio.sampleRate))
        let there = Set(other.peaks.map { [$0.time / 32, UInt32($0.frequency) / 32] })
        let kept = original.peaks.filter { peak in
            (-1...1).contains { t in
                (-1...1).contains {
                    there.contains([UInt32(Int(peak.time) / 32 + t), UInt32(Int(peak.frequency) / 32 + $0)])
                }
            }
        }
        #expect(Double(kept.count) > 0.8 * Double(original.peaks.count))
    }

    @Test(arguments: [8000, 16_000, 44_100, 48_000, 96_000])
    func peaksAreWhereTheyAre(rate: Int) throws {
        // Bursts under a Gaussian: the spectrogram's maximum is at the centre and at the frequency, by symmetry.
        let bursts: [(time: Double, frequency: Double)] = [
            (1.0, 440.0), (2.013, 1000.7), (3.0271, 333.3), (4.0005, 2345.6), (5.0412, 1801.2),
        ]
        let samples = (0..<(6 * rate)).map { index -> Float in
            let time = Double(index) / Double(rate)
            return bursts.reduce(Float(0)) { sum, burst in
                let age = time - burst.time
                guard abs(age) < 0.5 else { return sum }
                return sum
                    + Float(0.3 * exp(-age * age / (2 * 0.06 * 0.06)) * cos(2 * .pi * burst.frequency * age))
            }
        }
        let signature = try SignatureExtractor.signature(of: AudioBuffer(samples: samples, sampleRate: rate))
        for burst in bursts {
            let near = signature.peaks.filter {
                abs($0.timeSeconds - burst.time) < 0.03 && abs($0.frequencyHertz - burst.frequency) < 4
            }
            #expect(near.count == 1)
            for peak in near {
                #expect(abs(peak.timeSeconds - burst.time) < 0.001)
                #expect(abs(peak.frequencyHertz - burst.frequency) < 0.1)
            }
        }
    }

    @Test(arguments: [0, 1, 2, 80, 441, 4410])
    func shortAudioHasASignature(frames: Int) throws {
        let audio = TestSignals.noise(seed: 3, seconds: 1, sampleRate: 44_100).frames(0..<frames)
        let signature = try SignatureExtractor.signature(of: audio)
        #expect(signature.frameCount == frames)
        #expect(try Signature(encoded: signature.encoded(), name: "short") == signature)
    }

    @Test func silenceHasNoPeaks() throws {
        let silence = AudioBuffer(silentFrames: 200_000, sampleRate: 44_100, channelCount: 2)
        #expect(try SignatureExtractor.signature(of: silence).peaks.isEmpty)
        let offset = AudioBuffer(samples: [Float](repeating: 0.3, count: 160_000), sampleRate: 16_000)
        // Only the two edges have peaks.
        let edges = try SignatureExtractor.signature(of: offset).peaks
        #expect(edges.allSatisfy { $0.timeSeconds < 0.3 || $0.timeSeconds > 9.7 })
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, 1e20])
    func badSamplesAreNamed(value: Float) throws {
        var samples = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 16_000, channelCount: 2).samples
        samples[16_000 + 9000] = value
        let audio = AudioBuffer(samples: samples, sampleRate: 16_000, channelCount: 2)
        let error = #expect(throws: FingerprintingError.self) { try SignatureExtractor.signature(of: audio) }
        #expect(error?.description.contains("sample 9000 of channel 1") == true)
        #expect(throws: FingerprintingError.self) { try SongCatalog.catalog.match(query: audio) }
    }

    @Test(arguments: [1, 999, 768_001, 1_000_000_000])
    func impossibleRatesAreRefused(rate: Int) {
        let audio = AudioBuffer(samples: [0, 0.1, 0.2], sampleRate: rate)
        #expect(throws: FingerprintingError.self) { try SignatureExtractor.signature(of: audio) }
    }

    @Test func invertedChannelIsNoticed() throws {
        let audio = song.render()
        let inverted = AudioBuffer(
            samples: audio.samples + audio.samples.map { -0.95 * $0 }, sampleRate: audio.sampleRate,
            channelCount: 2)
        let plain = AudioBuffer(
            samples: audio.samples + audio.samples, sampleRate: audio.sampleRate, channelCount: 2)
        #expect(try SignatureExtractor.signature(of: inverted).channelsCancel)
        #expect(try !SignatureExtractor.signature(of: plain).channelsCancel)
        #expect(try !SignatureExtractor.signature(of: audio).channelsCancel)
    }
}
