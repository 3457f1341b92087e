import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Parts of signatures: peaks of a window, counted from its start.
struct SignatureSliceTests {
    private static let whole = PeakMusic.cut(
        PeakMusic.signature(seed: 90, seconds: 30), from: 0, seconds: 30, .init(extraPerSecond: 20)
    ).signature

    @Test("The slice of all is the signature itself, and so is that of more than all")
    func allIsItself() {
        let whole = Self.whole
        #expect(whole.slice(fromSeconds: 0, durationSeconds: whole.durationSeconds) == whole)
        #expect(whole.slice(fromSeconds: 0, durationSeconds: 1000).peaks == whole.peaks)
    }

    @Test("Slices one after the other hold every peak once", arguments: [0.5, 1.0, 7.25, 13])
    func slicesAreAPartition(seconds: Double) {
        let peaks = stride(from: 0, to: 30, by: seconds).flatMap { start in
            Self.whole.slice(fromSeconds: start, durationSeconds: seconds).peaks.map {
                Peak(
                    time: $0.time + UInt32(start * PeakMusic.unitsPerSecond), frequency: $0.frequency,
                    rank: $0.rank, height: $0.height)
            }
        }
        #expect(peaks == Self.whole.peaks)
    }

    @Test("A slice of a slice is the slice from both starts together")
    func slicesNest() {
        for (outer, inner) in [(0.0, 0.0), (1.5, 2.25), (3.0005, 4.5), (10, 0.5)] {
            let twice = Self.whole.slice(fromSeconds: outer, durationSeconds: 12)
                .slice(fromSeconds: inner, durationSeconds: 5)
            #expect(twice == Self.whole.slice(fromSeconds: outer + inner, durationSeconds: 5))
            #expect(twice.peaks.count > 100)
        }
    }

    @Test("A slice keeps rate, ranks, flags and identity, and states its own length")
    func slicesKeepTheRest() {
        let slice = Self.whole.slice(fromSeconds: 2, durationSeconds: 3.5)
        #expect(slice.frameCount == 28_000 && slice.sampleRate == 8000)
        #expect(slice.keptRanks == Self.whole.keptRanks && slice.hasHeights)
        #expect(slice.analysisIdentity == Self.whole.analysisIdentity)
        #expect(slice.peaks.allSatisfy { $0.timeSeconds < 3.5 })
    }

    @Test("Where there is no audio there are no peaks, and nothing traps")
    func slicesBeyondTheEndsAreEmpty() {
        let whole = Self.whole
        for (start, seconds) in [(30.0, 5.0), (1e9, 1), (1e300, 1e300), (5, 0), (5, -3), (-10, 4)] {
            #expect(whole.slice(fromSeconds: start, durationSeconds: seconds).peaks.isEmpty, "\(start)")
        }
        #expect(whole.slice(fromSeconds: 5, durationSeconds: -3).frameCount == 0)
        #expect(whole.slice(fromSeconds: 0, durationSeconds: .infinity).peaks == whole.peaks)
        let early = whole.slice(fromSeconds: -1, durationSeconds: 3)
        #expect(early.peaks.allSatisfy { $0.timeSeconds < 2 } && early.frameCount == 24_000)
    }

    @Test("A query cut from a signature at t matches at offset t, for many t")
    func slicesMatchWhereTheyWereCut() throws {
        let references = PeakMusic.references(4, seconds: 40)
        let catalog = try Catalog(references: references)
        for step in 0..<120 {
            let reference = references[step % 4]
            let start = 0.31 * Double(step) * 0.9
            let slice = reference.signature.slice(fromSeconds: start, durationSeconds: 4)
            let match = try #require(try catalog.match(Query(slice)).first)
            #expect(match.referenceID == reference.id)
            #expect(abs(match.offsetSeconds - start) < 0.001, "\(match.offsetSeconds) for \(start)")
        }
    }

    @Test("The slice of a song's signature is nearly the signature of a slice of the song")
    func slicesAreThoseOfTheAudio() throws {
        let song = ScoreSong(seed: 13, seconds: 20).render(sampleRate: 8000)
        let whole = try SignatureExtractor.signature(of: song)
        let part = try SignatureExtractor.signature(of: song.frames(16_384..<131_072))
        let slice = whole.slice(fromSeconds: 2.048, durationSeconds: 14.336)
        #expect(slice.frameCount == part.frameCount)
        // Beyond the reach of the low band's envelope and ranks.
        let inside = 3.0...11
        let inner = slice.peaks.filter { inside.contains($0.timeSeconds) }
        #expect(inner.count > 40 && inner == part.peaks.filter { inside.contains($0.timeSeconds) })
    }
}
