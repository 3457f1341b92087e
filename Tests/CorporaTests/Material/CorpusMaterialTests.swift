import AudioCore
import Corpora
import Degradations
import SignalProcessing
import TestSupport
import Testing

/// Without fetched corpora, so that the noise is synthetic on every machine.
@Suite struct CorpusMaterialTests {
    private func material() throws -> CorpusMaterial {
        let folder = try TemporaryFolder()
        let library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.file("empty"))
        return try CorpusMaterial(library: library, music: Corpus.open(named: "synthetic", in: library))
    }

    private func excerpt(
        _ material: CorpusMaterial, _ kind: MaterialKind, seed: UInt64, seconds: Double = 4,
        rate: Int = 16_000
    ) throws -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return try material.excerpt(
            of: kind, frameCount: Int(seconds * Double(rate)), sampleRate: rate, using: &generator)
    }

    @Test(arguments: MaterialKind.allCases, [0.05, 0.5, 7, 40])
    func givesTheRequestedLength(kind: MaterialKind, seconds: Double) throws {
        let samples = try excerpt(material(), kind, seed: 1, seconds: seconds, rate: 8000)
        #expect(samples.count == Int(seconds * 8000))
        #expect(samples.allSatisfy { $0.isFinite })
        if seconds > 1 { #expect(AudioBuffer(samples: samples, sampleRate: 8000).meanPowerAC > 1e-6) }
    }

    @Test(arguments: MaterialKind.allCases)
    func dependsOnTheGeneratorAlone(kind: MaterialKind) async throws {
        let first = try material()
        let alone = try (0..<6).map { try excerpt(first, kind, seed: UInt64($0)) }
        let second = try material()
        // In another order, in parallel, and after requests for other rates.
        _ = try excerpt(second, kind, seed: 99, rate: 11_025)
        let together = try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
            for index in (0..<6).reversed() {
                group.addTask { (index, try excerpt(second, kind, seed: UInt64(index))) }
            }
            var results = [[Float]](repeating: [], count: 6)
            for try await (index, samples) in group { results[index] = samples }
            return results
        }
        #expect(alone == together)
        #expect(Set(alone).count == 6)
    }

    @Test func sourcesAreNamedAndDigested() throws {
        let folder = try TemporaryFolder()
        let library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.file("empty"))
        let own = try CorpusMaterial(library: library, music: Corpus.open(named: "synthetic", in: library))
        let none = try CorpusMaterial(library: library, music: nil)
        #expect(own.provenance[.speech]?.contains("8 kHz") == true)
        #expect(own.provenance[.music]?.contains("corpus synthetic") == true)
        #expect(none.provenance[.music]?.hasPrefix("synthetic music") == true)
        #expect(own.digest(of: .music) != none.digest(of: .music))
        let again = try material()
        for kind in MaterialKind.allCases { #expect(own.digest(of: kind) == again.digest(of: kind)) }
    }

    /// Fetching wide speech must not make other queries again.
    @Test func eachKindOfNoiseHasItsOwnDigest() throws {
        let folder = try TemporaryFolder()
        let library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.file("empty"))
        let material = try CorpusMaterial(library: library, music: nil)
        let digests = MaterialKind.allCases.map(material.digest(of:))
        #expect(
            digests.map { $0.prefix(12) } == [
                "a35d1b15e77b", "a2129c177222", "4599778191fc", "ec8ad0858303",
            ],
            "other noise than before, so raise the version of the material")
        #expect(Set(digests).count == digests.count && !digests.contains(""))
        #expect(material.provenance[.wideSpeech]?.contains("16 kHz") == true)
    }

    @Test func onlyWideSpeechReachesAboveFourKilohertz() throws {
        let share = try [MaterialKind.speech, .wideSpeech].map { kind in
            let samples = try excerpt(material(), kind, seed: 3, rate: 32_000)
            var above = samples
            var filter = BiquadCascade.butterworthHighPass(order: 12, frequency: 6000, sampleRate: 32_000)
            filter.process(&above)
            return AudioBuffer(samples: above, sampleRate: 32_000).meanPowerAC
                / AudioBuffer(samples: samples, sampleRate: 32_000).meanPowerAC
        }
        #expect(share[0] < 1e-5 && share[1] > 1e-3, "\(share)")
    }

    /// A loop would correlate with itself perfectly one period later.
    @Test(arguments: MaterialKind.allCases)
    func isNeverALoop(kind: MaterialKind) throws {
        let samples = try excerpt(material(), kind, seed: 5, seconds: 30, rate: 8000)
        let window = Array(samples[0..<24_000])
        let rest = Array(samples[32_000...])
        let best = CrossCorrelation.bestLag(of: rest, in: window, maxLag: rest.count)
        #expect(best.coefficient < 0.7)
    }
}
