import AudioCore
import EarshotSignatures
import Fingerprinting
import TestSupport
import Testing

/// Signatures without the engine's libraries: the same analysis with another Fourier transform.
struct EarshotSignaturesTests {
    private typealias Extractor = EarshotSignatures.SignatureExtractor
    private typealias EngineExtractor = Fingerprinting.SignatureExtractor

    private static let recordings = (0..<8).map { seed in
        ScoreSong(seed: UInt64(700 + seed), seconds: 40).render(
            sampleRate: [8000, 16_000, 22_050, 44_100][seed % 4])
    }

    @Test(arguments: [true, false])
    func nearlyAllPeaksAreTheEngines(ofQueries: Bool) throws {
        var (all, shared) = (0, 0)
        for recording in Self.recordings {
            let own = try Extractor.signature(of: recording, detail: ofQueries ? .query : .reference)
            let engines = try EngineExtractor.signature(
                of: recording, detail: ofQueries ? .query : .reference)
            #expect(own.frameCount == engines.frameCount)
            let known = Set(engines.peaks.map { [Int($0.time), Int($0.frequency), Int($0.rank)] })
            all += max(own.peaks.count, engines.peaks.count)
            shared += own.peaks.count { known.contains([Int($0.time), Int($0.frequency), Int($0.rank)]) }
        }
        // Pure tones that fade to silence have many equal peaks, of which rounding chooses one; real music has few.
        #expect(all > 8000)
        #expect(Double(shared) >= 0.98 * Double(all), "\(shared) of \(all) peaks")
    }

    @Test func engineReadsItsFilesAndFindsItsQueries() throws {
        let references = try Self.recordings.enumerated().map { place, recording in
            Reference(
                id: "song \(place)",
                signature: try Fingerprinting.Signature(
                    encoded: Extractor.signature(of: recording).encoded(), name: "song \(place)"))
        }
        let catalog = try Catalog(references: references)
        for (place, recording) in Self.recordings.enumerated() {
            let part = AudioBuffer(
                samples: Array(recording.samples[(10 * recording.sampleRate)..<(16 * recording.sampleRate)]),
                sampleRate: recording.sampleRate)
            let own = try Fingerprinting.Signature(
                encoded: Extractor.signature(of: part, detail: .query).encoded(), name: "query")
            #expect(own.analysisIdentity == Fingerprinting.Settings().analysis.identity)
            let match = try #require(try catalog.match(Query(own)).first)
            let engines = try #require(
                try catalog.match(Query(EngineExtractor.signature(of: part, detail: .query))).first)
            #expect(match.isAccepted)
            #expect(match.referenceID == "song \(place)")
            #expect(abs(match.offsetSeconds - 10) < 0.01)
            #expect(abs(match.score - engines.score) < 1)
        }
    }

    @Test func blocksOfAnySizeGiveTheSameBytes() throws {
        let recording = Self.recordings[3]
        let whole = try Extractor.signature(of: recording)
        var extractor = try Extractor(sampleRate: recording.sampleRate, channelCount: 1)
        var start = 0
        for size in [1, 4095, 4096, 777, 100_000, .max] {
            let end = min(recording.frameCount, size == .max ? .max : start + size)
            try extractor.append(
                AudioBuffer(
                    samples: Array(recording.samples[start..<end]), sampleRate: recording.sampleRate))
            start = end
        }
        #expect(try extractor.finish().encoded() == whole.encoded())
    }

    @Test(arguments: [500.0, 1000, 3000, 6000])
    func toneHasPeaksAtItsFrequency(hertz: Double) throws {
        let samples = (0..<44_100).map { Float(0.3 * sin(2 * .pi * hertz * Double($0) / 44_100)) }
        let signature = try Extractor.signature(
            of: AudioBuffer(samples: samples, sampleRate: 44_100), detail: .query)
        let loudest = signature.peaks.max { $0.height < $1.height }
        #expect(abs(try #require(loudest).frequencyHertz - hertz) < 1)
    }
}
