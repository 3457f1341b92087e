import Corpora
import Degradations
import Evaluation
import TestSupport
import Testing

/// Cells of a family with `sameCuts` differ in severity alone.
@Suite struct SameCutsTests {
    private static func trials(_ lines: String) throws -> [Trial] {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let text = """
            name: same
            corpus: synthetic
            seed: 4
            positives: 6
            negatives: 3
            lengthSeconds: 2
            latencyTrials: 0
            families:
              - name: pink noise
                unit: dB
                severities: [0, -6, -12]
                chain: [{noise: {colour: pink, snrDecibels: $severity}}]
                \(lines)
            """
        return try Plan(
            file: PlanFile(text: text, name: "same.yaml"), corpus: corpus,
            material: CorpusMaterial(library: library, music: corpus)
        ).trials
    }

    /// What a trial draws, by its number in its cell.
    private static func draws(_ trials: [Trial]) throws -> [String: Set<String>] {
        var draws: [String: Set<String>] = [:]
        for trial in trials {
            let noise = try #require(trial.chain.steps.first?.value as? Noise)
            let number = String(trial.id.suffix(4))
            draws[number, default: []].insert("\(trial.source ?? "") \(trial.startSeed) \(noise.seed)")
        }
        return draws
    }

    @Test func equalNumbersHaveTheSameRecordingStartAndNoise() throws {
        let trials = try Self.trials("sameCuts: true")
        #expect(trials.count == 27 && Set(trials.map(\.id)).count == 27)
        let draws = try Self.draws(trials)
        #expect(draws.count == 9 && draws.values.allSatisfy { $0.count == 1 })
        #expect(Set(draws.values.flatMap(\.self)).count == 9)
    }

    @Test func otherwiseEveryCellDrawsItsOwn() throws {
        let draws = try Self.draws(Self.trials("sameCuts: false"))
        #expect(draws.values.allSatisfy { $0.count == 3 })
        #expect(try Self.draws(Self.trials("")) == draws)
    }

    /// The curves of `standard` compare ratios, not cuts, and go down to where less than 30 % is found.
    @Test func noisesOfTheStandardPlanShareCutsAndGoFarDown() throws {
        let plan = try PlanFile(path: PackageFolder.path + "/Corpora/Plans/standard.yaml")
        for name in ["white noise", "pink noise", "brown noise", "babble", "ambience", "other music"] {
            let family = try #require(plan.families.first { $0.name == name })
            #expect(family.sharesCuts, "\(name)")
            let ratios = family.members.compactMap(\.cell.severityValue)
            #expect(ratios.count >= 5 && (ratios.min() ?? 0) <= -15, "\(name)")
        }
    }
}
