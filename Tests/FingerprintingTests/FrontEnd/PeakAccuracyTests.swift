import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Where peaks are found: between bins and frames, over the whole band, and how far they rise.
struct PeakAccuracyTests {
    private struct Burst {
        let time: Double
        let frequency: Double
        var amplitude = 0.2
    }

    /// Tones under a Gaussian of 60 ms: by symmetry the spectrogram is largest at their time and frequency.
    private func audio(_ bursts: [Burst], seconds: Double, noise: Double = 0) -> AudioBuffer {
        let rate = 8000
        var samples = TestSignals.noise(seed: 8, amplitude: noise, seconds: seconds, sampleRate: rate).samples
        for burst in bursts {
            let first = max(0, Int((burst.time - 0.35) * Double(rate)))
            for index in first..<min(samples.count, Int((burst.time + 0.35) * Double(rate))) {
                let age = Double(index) / Double(rate) - burst.time
                samples[index] += Float(
                    burst.amplitude * exp(-age * age / (2 * 0.06 * 0.06))
                        * cos(2 * .pi * burst.frequency * age))
            }
        }
        return AudioBuffer(samples: samples, sampleRate: rate)
    }

    private func peak(of burst: Burst, in signature: Signature) throws -> Peak {
        let near = signature.peaks.filter {
            abs($0.timeSeconds - burst.time) < 0.1 && abs($0.frequencyHertz - burst.frequency) < 12
        }
        #expect(near.count == 1, "\(near.count) peaks at \(burst.frequency) Hz")
        return try #require(near.first)
    }

    @Test(
        "Frequencies and times are found between bins and frames, without bias",
        arguments: [90.0, 700, 1600, 3300])
    func peaksLieBetweenBinsAndFrames(lowest: Double) throws {
        // Steps that are no fraction of a bin or a frame.
        let bursts = (0..<40).map {
            Burst(time: 0.5 + 0.5137 * Double($0), frequency: lowest + 2.273 * Double($0))
        }
        let signature = try SignatureExtractor.signature(of: audio(bursts, seconds: 21.5))
        var errors: (time: [Double], frequency: [Double]) = ([], [])
        for burst in bursts {
            let peak = try peak(of: burst, in: signature)
            errors.time.append(peak.timeSeconds - burst.time)
            errors.frequency.append(peak.frequencyHertz - burst.frequency)
        }
        // Stored to 0.5 ms and 0.122 Hz.
        #expect(errors.time.allSatisfy { abs($0) < 0.0006 })
        #expect(errors.frequency.allSatisfy { abs($0) < 0.09 })
        let sum = (time: errors.time.reduce(0, +), frequency: errors.frequency.reduce(0, +))
        #expect(abs(sum.time) < 40 * 0.0001)
        #expect(abs(sum.frequency) < 40 * 0.01)
    }

    @Test("No peak lies outside the band, and none above what a low rate carries")
    func peaksStayInTheBand() throws {
        let noise = TestSignals.noise(seed: 3, seconds: 6, sampleRate: 16_000)
        let peaks = try SignatureExtractor.signature(of: noise, detail: .query).peaks
        #expect(peaks.allSatisfy { (29...7404).contains($0.frequencyHertz) })
        #expect(peaks.contains { $0.frequencyHertz < 60 } && peaks.contains { $0.frequencyHertz > 7000 })
        for rate in [2000, 5000] {
            let low = TestSignals.noise(seed: 4, seconds: 6, sampleRate: rate)
            let peaks = try SignatureExtractor.signature(of: low, detail: .query).peaks
            #expect(peaks.count > 50 && peaks.allSatisfy { $0.frequencyHertz < 0.46 * Double(rate) + 2 })
        }
    }

    @Test("Without bass all other peaks are the same")
    func bassIsBesideTheOthers() throws {
        var settings = Settings()
        settings.analysis.lowestHertz = 75
        for detail in [Signature.Detail.reference, .query] {
            let noise = TestSignals.noise(seed: 5, seconds: 9, sampleRate: 16_000)
            let all = try SignatureExtractor.signature(of: noise, detail: detail).peaks
            let others = try SignatureExtractor.signature(of: noise, settings: settings, detail: detail).peaks
            #expect(all.filter { $0.frequencyHertz >= 73 } == others)
            #expect(all.count > others.count + 10)
        }
    }

    @Test("Settings of the band decide where peaks may lie")
    func theBandIsASetting() throws {
        var settings = Settings()
        settings.analysis.lowestHertz = 400
        settings.analysis.highestHertz = 900
        let noise = TestSignals.noise(seed: 3, seconds: 4, sampleRate: 8000)
        let peaks = try SignatureExtractor.signature(of: noise, settings: settings).peaks
        #expect(peaks.count > 20 && peaks.allSatisfy { (398...902).contains($0.frequencyHertz) })
    }

    @Test("A tone of twice the amplitude in noise rises higher, by nearly two powers of two")
    func heightsFollowTheLevel() throws {
        let bursts = (0..<4).map {
            Burst(time: 2 + 2 * Double($0), frequency: 1203, amplitude: 0.004 * pow(2, Double($0)))
        }
        let signature = try SignatureExtractor.signature(
            of: audio(bursts, seconds: 11, noise: 0.02), detail: .query)
        let heights = try bursts.map { Double(try peak(of: $0, in: signature).height) / 16 }
        for (quiet, loud) in zip(heights, heights.dropFirst()) {
            // The mean around it rises a little with the tone.
            #expect((1.5...2.2).contains(loud - quiet), "\(heights)")
        }
    }

    /// One is measured row by row as audio comes in, the other in the spectrogram that a query keeps.
    @Test("Both ways to measure heights agree to a sixteenth of a power of two")
    func heightsAgree() throws {
        let audio = ScoreSong(seed: 12, seconds: 8).render(sampleRate: 8000)
        let streamed = try SignatureExtractor.signature(of: audio, detail: .query).peaks
        let kept = try Query(audio).signature.peaks
        #expect(streamed.map(\.time) == kept.map(\.time) && streamed.count > 300)
        // The last frame has no later neighbour in the spectrogram.
        for (one, other) in zip(streamed, kept) where one.timeSeconds < 7.9 {
            #expect(abs(Int(one.height) - Int(other.height)) <= 1, "\(one) and \(other)")
        }
    }

    @Test("References have no heights, queries have, and the peaks are the same")
    func detailOnlyAdds() throws {
        let audio = ScoreSong(seed: 12, seconds: 8).render()
        let reference = try SignatureExtractor.signature(of: audio)
        let query = try SignatureExtractor.signature(of: audio, detail: .query)
        func place(_ peak: Peak) -> [Int] { [Int(peak.time), Int(peak.frequency), Int(peak.rank)] }
        #expect(query.peaks.filter { $0.rank < 3 }.map(place) == reference.peaks.map(place))
        #expect(!reference.hasHeights && reference.peaks.allSatisfy { $0.height == 0 })
        #expect(query.hasHeights && query.peaks.count > 2 * reference.peaks.count)
        #expect(query.keptRanks == 16 && reference.keptRanks == 3)
        #expect(Set(query.peaks.map(\.rank)).isSuperset(of: 0..<10))
    }

    @Test("What is below the floor of silence has no peaks")
    func theFloorIsSilence() throws {
        // A sine of full scale has a power of 2^18: the floor of 2.5e-7 is 120 dB below that.
        func peaks(_ decibels: Double) throws -> Int {
            let burst = Burst(time: 1, frequency: 1000, amplitude: Decibels.amplitudeRatio(decibels))
            return try SignatureExtractor.signature(of: audio([burst], seconds: 2)).peaks.count
        }
        #expect(try peaks(-112) >= 1)
        #expect(try peaks(-135) == 0)
    }
}
