import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Ranks of peaks, and what peaks do not depend on.
struct RankingTests {
    private static let audio = ScoreSong(seed: 61, seconds: 24).render(sampleRate: 8000)
    private static let query: Signature = {
        guard let signature = try? SignatureExtractor.signature(of: audio, detail: .query) else {
            preconditionFailure("no signature")
        }
        return signature
    }()

    /// Whether two peaks compete for rank, surely: within 10 frames and half an octave of a band, less what was
    /// interpolated.
    private func compete(_ one: Peak, _ other: Peak) -> Bool {
        let band = BandOracle.band(one)
        return BandOracle.band(other) == band
            && Double(abs(Int(one.time) - Int(other.time))) <= 9 * 64 * BandOracle.frames[band]
            && abs(log2(Double(one.frequency) / Double(other.frequency))) <= 0.47
    }

    @Test("Of two peaks that compete one outranks the other, so two of rank 0 never do")
    func firstsDoNotCompete() {
        let firsts = Self.query.peaks.filter { $0.rank == 0 }
        #expect(firsts.count > 40)
        for (place, one) in firsts.enumerated() {
            for other in firsts[(place + 1)...] { #expect(!compete(one, other), "\(one) and \(other)") }
        }
    }

    @Test(
        "Among peaks that all compete with each other the last has at least as many above it as there are others"
    )
    func ranksCountThoseAbove() {
        let peaks = Self.query.peaks
        var groups = 0
        for (place, first) in peaks.enumerated() where place % 5 == 0 {
            var group = [first]
            for other in peaks[(place + 1)...] where group.allSatisfy({ compete($0, other) }) {
                group.append(other)
            }
            let worst = group.map { Int($0.rank) }.max() ?? 0
            #expect(worst >= group.count - 1)
            if group.count > 4 { groups += 1 }
        }
        #expect(groups > 20, "too few groups to tell")
    }

    @Test("No two peaks of a band lie within two of its frames and six of its bins of each other")
    func peaksKeepTheirDistance() {
        let peaks = Self.query.peaks
        for (place, one) in peaks.enumerated() {
            for other in peaks[(place + 1)...].prefix(while: { $0.time - one.time < 8 * 64 }) {
                let band = BandOracle.band(one)
                guard BandOracle.band(other) == band,
                    Double(other.time - one.time) < 2 * 64 * BandOracle.frames[band]
                else { continue }
                let bins = abs(BandOracle.bins(one) - BandOracle.bins(other)) / BandOracle.bins[band]
                #expect(bins >= 6)
            }
        }
    }

    private func signature(_ samples: some Sequence<Float>) throws -> Signature {
        try SignatureExtractor.signature(
            of: AudioBuffer(samples: Array(samples), sampleRate: 8000), detail: .query)
    }

    /// Peaks between two times in seconds, as many seconds earlier as `shift` says.
    private func peaks(_ signature: Signature, _ range: ClosedRange<Double>, shift: Double = 0) -> [Peak] {
        signature.peaks.filter { range.contains($0.timeSeconds - shift) }.map {
            Peak(
                time: $0.time - UInt32(shift * 2000), frequency: $0.frequency, rank: $0.rank,
                height: $0.height)
        }
    }

    /// Frames are transformed in pairs: by an odd number of frames the last bits differ, and with them a peak or two.
    @Test(
        "A delay by whole frames of the bass moves every peak by that and changes nothing else",
        arguments: [4, 8, 28, 200])
    func delaysMoveAll(frames: Int) throws {
        let before = TestSignals.noise(seed: 2, seconds: Double(frames) * 0.032, sampleRate: 8000).samples
        let delayed = try signature(before + Self.audio.samples)
        // The envelope of the bass reaches four seconds back, and ranks another 1.28 s.
        let inner = peaks(Self.query, 5.5...20)
        #expect(inner.count > 300)
        let moved = peaks(delayed, 5.5...20, shift: Double(frames) * 0.032)
        #expect(moved == inner || frames % 8 == 4)
        #expect(Set(moved).symmetricDifference(inner).count <= inner.count / 25)
    }

    @Test("Audio before and after a passage does not change the peaks within it")
    func passagesAreIndependent() throws {
        let cut = try signature(Self.audio.samples[(256 * 104)..<(256 * 704)])
        #expect(peaks(cut, 5.4...13.6) == peaks(Self.query, 5.4...13.6, shift: 3.328))
        #expect(peaks(cut, 5.4...13.6).count > 200)
    }

    /// In noise, so that nothing comes near the floor that is the same at every level.
    @Test("The level changes no peak, for ranks compare levels", arguments: [0.25, 4, 64] as [Float])
    func levelsCancel(factor: Float) throws {
        let hiss = TestSignals.noise(seed: 6, amplitude: 0.05, seconds: 16, sampleRate: 8000).samples
        let audio = zip(Self.audio.samples, hiss).map { $0 + $1 }
        let (one, other) = (try signature(audio), try signature(audio.map { $0 * factor }))
        func places(_ signature: Signature) -> Set<Peak> {
            Set(signature.peaks.map { Peak(time: $0.time, frequency: $0.frequency, rank: $0.rank) })
        }
        let shared = places(one).intersection(places(other)).count
        #expect(Double(shared) > 0.98 * Double(one.peaks.count), "\(shared) of \(one.peaks.count)")
        #expect(try signature(Self.audio.samples.map { -$0 }) == Self.query, "the sign is no level")
    }

    @Test("The number of ranks kept decides how many peaks there are, and changes none of them")
    func keptRanksOnlyFilter() throws {
        for rank in 1...8 {
            var settings = Settings()
            settings.analysis.referenceRank = rank
            let kept = try SignatureExtractor.signature(of: Self.audio, settings: settings)
            let expected = Self.query.peaks.filter { $0.rank < rank }
            #expect(kept.peaks.map(\.time) == expected.map(\.time))
            #expect(kept.peaks.map(\.frequency) == expected.map(\.frequency))
            #expect(kept.keptRanks == rank)
        }
    }
}
