import AudioCore
import AudioIO
import Corpora
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Suite struct SyntheticMusicTests {
    /// The narrow-band waveform that recordings are compared by.
    private static func narrow(_ seed: UInt64, seconds: Double) throws -> [Float] {
        let audio = SyntheticMusic(seed: seed, seconds: seconds).render()
        let mono = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
        return try Resampler.resample(mono, to: 8000, quality: .fastest).samples
    }

    /// The lock has the SHA-256 of the 16-bit samples, which must be equal on every compiler and machine.
    @Test func samplesAreThoseThatWereLocked() throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.path + "/Corpora")
        let corpus = try Corpus.open(named: "synthetic", in: library)
        #expect(corpus.tracks.count == 40)
        try corpus.verify()
    }

    @Test func isMadeOfSixteenBitSamples() {
        let audio = SyntheticMusic(seed: 3, seconds: 2).render()
        #expect(audio.frameCount == 88_200 && audio.channelCount == 2 && audio.sampleRate == 44_100)
        #expect(audio.samples.allSatisfy { ($0 * 32768) == ($0 * 32768).rounded() })
        #expect(abs(audio.peak - 0.85) < 0.0001)
        #expect(audio == SyntheticMusic(seed: 3, seconds: 2).render())
        #expect(audio.channel(0) != audio.channel(1))
    }

    /// Every 3 s could be queried: above −40 dBFS RMS, and more than half the samples above −60 dBFS.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func isNeverTooQuietToBeFound(seed: UInt64) {
        let audio = SyntheticMusic(seed: seed, seconds: 60).render()
        for start in stride(from: 0, to: audio.frameCount - 132_300, by: 66_150) {
            let clip = audio.frames(start..<(start + 132_300))
            #expect(clip.meanPower > 1e-4)
            let quiet = clip.samples.count { abs($0) < 0.001 }
            #expect(quiet * 2 < clip.samples.count)
        }
    }

    @Test func noTwoPiecesShareAPassage() throws {
        let pieces = try (1...8).map { try Self.narrow(UInt64($0), seconds: 40) }
        for (index, piece) in pieces.enumerated() {
            let window = Array(piece[80_000..<120_000])
            for other in pieces.indices where other != index {
                let best = CrossCorrelation.bestLag(
                    of: pieces[other], in: window, maxLag: pieces[other].count)
                #expect(best.coefficient < 0.5, "pieces \(index + 1) and \(other + 1)")
            }
        }
    }

    /// A loop would correlate with itself perfectly one period later.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func noPassageComesTwice(seed: UInt64) throws {
        let piece = try Self.narrow(seed, seconds: 60)
        let window = Array(piece[0..<32_000])
        let rest = Array(piece[40_000...])
        let best = CrossCorrelation.bestLag(of: rest, in: window, maxLag: rest.count)
        #expect(best.coefficient < 0.7)
    }
}
