import AudioCore
import Corpora
import Degradations
import Evaluation
import TestSupport
import Testing

/// The samples of whole queries and of noise are those of `QueryRecipe.version` and `CorpusMaterial.version`.
///
/// These versions cover what no single degradation decides: how starts are drawn, the margins around a cut, the order of
/// the steps, and how recordings become speech, ambience and music to mix in.
@Suite struct GoldenPipelineTests {
    @Test func queriesBelongToTheVersion() throws {
        let source = Self.source
        let lines = try Self.chains.map { name, chain -> (library: String?, line: GoldenLine) in
            let trial = Trial(
                id: name, index: 0,
                cell: Cell(degradation: name, severity: "", severityValue: nil, lengthSeconds: 1.25),
                isPositive: true, source: "s", chain: DegradationChain(steps: chain), startSeed: 12)
            let clip = try trial.render(from: source, material: FormulaMaterial()).clip
            let line = GoldenLine(name: name, version: QueryRecipe.version, digest: SampleDigest(clip))
            return (chain.contains { $0.name == "tempo" } ? "rubberband" : nil, line)
        }
        #expect(try GoldenFile.problems(of: lines, in: "queries.txt") == [])
    }

    @Test func noiseBelongsToTheVersion() throws {
        let empty = try TemporaryFolder()
        let library = try CorpusLibrary(
            recipeFolder: PackageFolder.shortCorpora, cacheFolder: empty.file("empty"))
        let material = try CorpusMaterial(library: library, music: nil)
        let lines = try MaterialKind.allCases.flatMap { kind in
            try [0.5, 12].map { seconds -> (library: String?, line: GoldenLine) in
                var generator = SeededGenerator(seed: 5)
                let samples = try material.excerpt(
                    of: kind, frameCount: Int(seconds * 16_000), sampleRate: 16_000, using: &generator)
                let clip = Clip(AudioBuffer(samples: samples, sampleRate: 16_000))
                return (
                    nil,
                    GoldenLine(
                        name: "\(kind.rawValue) \(seconds) s", version: CorpusMaterial.version,
                        digest: SampleDigest(clip))
                )
            }
        }
        #expect(try GoldenFile.problems(of: lines, in: "noise.txt") == [])
    }

    private static let chains: [(String, [AnyDegradation])] = [
        ("cut", []),
        ("speed", [AnyDegradation(Speed(percent: 2))]),
        ("drift", [AnyDegradation(Drift(fromPercent: -1, toPercent: 2))]),
        (
            "tempo and noise",
            [
                AnyDegradation(Tempo(percent: 4)),
                AnyDegradation(Noise(colour: .pink, snrDecibels: 0, seed: 1)),
            ]
        ),
        (
            "noise at 48 kHz",
            [
                AnyDegradation(Resample(sampleRateHertz: 48_000)),
                AnyDegradation(Noise(colour: .white, snrDecibels: 0, seed: 1)),
            ]
        ),
        (
            "ambience after a room",
            [
                AnyDegradation(Room(rt60Seconds: 0.4, seed: 3)),
                AnyDegradation(Ambience(snrDecibels: 3, seed: 2)),
            ]
        ),
    ]

    /// Noise that is too quiet for a query in its first two thirds.
    private static let source: AudioBuffer = {
        var audio = TestSignals.noise(seed: 7, seconds: 6, sampleRate: 44_100, channelCount: 2)
        for channel in 0..<2 {
            audio.withMutableChannel(channel) { plane in
                for frame in 0..<(4 * 44_100) { plane[frame] *= 1e-4 }
            }
        }
        return audio
    }()
}
