import AudioCore
import Fingerprinting
import Foundation
import MatcherAdapters
import TestSupport
import Testing

/// References drawn from the peaks of real ones: any number of them, none of which a search can take for its source.
@Suite struct SyntheticReferencesTests {
    private static let settings = Settings()
    private static let sources: [Signature] = (0..<3).compactMap {
        try? SignatureExtractor.signature(of: ScoreSong(seed: 800 + $0, seconds: 30).render(sampleRate: 8000))
    }

    private func references(seed: UInt64 = 1, _ sources: [Signature] = sources) -> SyntheticReferences {
        SyntheticReferences(sources: sources, seed: seed, settings: Self.settings)
    }

    @Test("A reference follows from its seed and its number, however many are made and in whatever order")
    func referencesFollowFromTheirNumber() {
        let one = references()
        let forward = (0..<6).map { one.reference($0) }
        let other = references()
        #expect((0..<6).reversed().map { other.reference($0) } == forward.reversed())
        #expect(Set(forward.map(\.id)).count == 6 && Set(forward.map(\.signature)).count == 6)
        #expect(references(seed: 2).reference(0).signature != forward[0].signature)
    }

    @Test("Peaks are in order and in the band, and as many a second as in the sources")
    func peaksAreLikeTheSources() {
        let rate = Self.sources.reduce(0.0) { $0 + Double($1.peaks.count) } / 90
        var count = 0
        for number in 0..<8 {
            let signature = references().reference(number).signature
            #expect(signature.durationSeconds == SyntheticReferences.seconds)
            for (one, next) in zip(signature.peaks, signature.peaks.dropFirst()) {
                #expect((one.time, one.frequency) <= (next.time, next.frequency))
            }
            #expect(signature.peaks.allSatisfy { (29.9...3700.1).contains($0.frequencyHertz) && $0.rank < 3 })
            #expect((signature.peaks.last?.timeSeconds ?? 0) > 230)
            count += signature.peaks.count
        }
        #expect(abs(Double(count) / (8 * SyntheticReferences.seconds) / rate - 1) < 0.1)
    }

    @Test("Sources too short are not drawn from")
    func shortSourcesAreLeftOut() throws {
        let short = try SignatureExtractor.signature(
            of: ScoreSong(seed: 900, seconds: 12).render(sampleRate: 8000))
        #expect(references(Self.sources + [short]).reference(3) == references().reference(3))
    }

    @Test("No query of a source is accepted among what was drawn from it, skewed or not")
    func sourcesAreNotFound() throws {
        let synthetic = references()
        let catalog = try Catalog(references: (0..<10).map { synthetic.reference($0) })
        for place in 0..<3 {
            let song = ScoreSong(seed: 800 + UInt64(place), seconds: 30)
            for (start, ratio) in [(2.0, 1.0), (9, 1.05), (17, 0.95), (23, 1)] {
                let query = song.render(
                    from: start, seconds: 6, sampleRate: 8000, timeRatio: ratio, frequencyRatio: ratio)
                #expect(
                    try catalog.match(query: query).allSatisfy { !$0.isAccepted }, "\(place) at \(start) s")
            }
        }
    }

    @Test("A catalog holds synthetic references as it does real ones, byte by byte")
    func catalogsHoldThem() throws {
        let synthetic = references()
        let catalog = try Catalog(references: (0..<3).map { synthetic.reference($0) })
        let read = try CatalogFile.decode(CatalogFile.encode(catalog), name: "synthetic")
        try CatalogFile.verify(read)
        for number in 0..<3 { #expect(read.signature(at: number) == synthetic.reference(number).signature) }
    }
}
