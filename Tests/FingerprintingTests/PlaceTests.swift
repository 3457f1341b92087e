import AudioCore
import Fingerprinting
import Foundation
import SignalProcessing
import TestSupport
import Testing

/// The place of a match: repeats of a passage, and the delay of energy in rooms.
struct PlaceTests {
    @Test func repeatsAreAlternatives() throws {
        let passage = SongCatalog.songs[1].render(from: 0, seconds: 12).samples
        let bridge = SongCatalog.songs[4].render(from: 0, seconds: 7).samples
        let audio = AudioBuffer(samples: passage + bridge + passage, sampleRate: 16_000, channelCount: 1)
        let reference = Reference(id: "loop", signature: try SignatureExtractor.signature(of: audio))
        let catalog = try Catalog(references: [reference])
        let query = SongCatalog.songs[1].render(from: 4.3, seconds: 5)
        let match = try #require(try catalog.match(query: query).first)
        let places = [match.offsetSeconds] + match.alternatives.map(\.offsetSeconds)
        #expect(places.contains { abs($0 - 4.3) < 0.002 })
        #expect(places.contains { abs($0 - 23.3) < 0.002 })
        #expect(match.alternatives.allSatisfy { $0.score <= match.score })
    }

    @Test func passageHeardOnceHasNoAlternative() throws {
        let match = try #require(
            try SongCatalog.catalog.match(query: SongCatalog.songs[1].render(from: 4.3, seconds: 5)).first)
        #expect(match.alternatives.isEmpty)
        #expect(match.reverberationDelaySeconds < 0.0005)
    }

    /// Noise that decays by 60 dB in `seconds`, after the direct sound at time 0.
    private func room(seconds: Double, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed, "room")
        let count = Int(seconds * 16_000)
        return (0..<count).map { sample in
            guard sample > 0 else { return 1 }
            let decay = exp(-6.9 * Double(sample) / Double(count))
            return sample < 80 ? 0 : Float(generator.uniform(in: -1...1) * 0.04 * decay)
        }
    }

    @Test func latenessOfRoomsIsTakenOff() throws {
        var errors: [Double] = []
        var uncorrected: [Double] = []
        for song in 0..<6 {
            let dry = SongCatalog.songs[song].render(from: 6, seconds: 7)
            let wet = Convolution.convolve(dry.samples, room(seconds: 0.8, seed: UInt64(song)))
            let query = AudioBuffer(
                samples: Array(wet[16_000..<6 * 16_000]), sampleRate: 16_000, channelCount: 1)
            let match = try #require(try SongCatalog.catalog.match(query: query).first)
            #expect(match.referenceID == "song \(song)")
            errors.append(match.offsetSeconds - 7)
            uncorrected.append(match.offsetSeconds - match.reverberationDelaySeconds - 7)
        }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        #expect(mean(uncorrected) < -0.003)
        #expect(abs(mean(errors)) < abs(mean(uncorrected)))
    }
}
