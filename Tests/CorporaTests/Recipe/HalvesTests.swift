import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO
import TestSupport
import Testing

/// From locks alone: empty files of the right size replace the recordings, so nothing is fetched.
@Suite struct HalvesTests {
    private let folder: TemporaryFolder
    private let library: CorpusLibrary

    init() throws {
        folder = try TemporaryFolder()
        library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.file("cache"))
        for name in try library.names() {
            let recipe = try library.recipe(named: name)
            if !recipe.packages.isEmpty { try library.lock(of: recipe).makeEmptyFiles(in: library) }
        }
    }

    private struct Parts {
        var positives: Set<String> = []
        var negatives: Set<String> = []
        var noise: [MaterialKind: Set<String>]
        /// The identities of the queries.
        var digests: Set<String> = []

        var queries: Set<String> { positives.union(negatives) }
    }

    /// The checksums of the recordings that a plan uses in one half.
    private func parts(
        _ plan: String, _ half: CorpusHalf, corpus: String? = nil, trials: Int = 40, folds: Int? = nil
    ) throws -> Parts {
        let request = RunRequest(
            plan: plan, corpus: corpus, half: half, positives: trials, negatives: trials, negativeFolds: folds
        )
        let opened = try request.open(in: library)
        let tracks = opened.plan.corpus.tracks
        let originals = Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0.copy?.original ?? $0.id) })
        var parts = Parts(noise: opened.material.recordings)
        for trial in opened.plan.trials {
            guard let source = trial.source else { continue }
            let checksum = try #require(originals[source].flatMap { opened.plan.corpus.checksums[$0] })
            parts.digests.insert(try #require(try opened.plan.recipe.digest(of: trial)))
            if trial.isPositive {
                parts.positives.insert(checksum)
            } else {
                parts.negatives.insert(checksum)
            }
        }
        return parts
    }

    @Test(arguments: [nil, 2])
    func halvesOfACorpusShareNoQueryNoNegativeAndNoNoise(folds: Int?) throws {
        // The renditions have no query of the standard plan; `LadderTests` has theirs.
        let corpora = try library.names().filter { name in
            let recipe = try library.recipe(named: name)
            return try name != "renditions" && !recipe.isExam
                && Track.tracks(of: library.lock(of: recipe)) { _ in nil }.contains(where: \.isEnrolled)
        }
        #expect(Set(corpora).isSuperset(of: ["games", "games-small", "synthetic"]))
        for corpus in corpora {
            let tuning = try parts("standard", .tuning, corpus: corpus, folds: folds)
            let test = try parts("standard", .test, corpus: corpus, folds: folds)
            #expect(tuning.queries.isDisjoint(with: test.queries), "\(corpus)")
            for kind in MaterialKind.allCases {
                let (one, other) = (try #require(tuning.noise[kind]), try #require(test.noise[kind]))
                let name = "\(corpus), \(kind)"
                #expect(one.isDisjoint(with: other), "\(name)")
                #expect(one.isDisjoint(with: test.queries), "\(name)")
                #expect(other.isDisjoint(with: tuning.queries), "\(name)")
                #expect(one.count >= 3 && other.count >= 3, "\(name): \(one.count) and \(other.count)")
            }
            for half in [tuning, test] {
                #expect(half.positives.count >= 7 && half.negatives.count >= 5, "\(corpus)")
            }
        }
    }

    /// Of the plans that are made of families; the others cut no queries by trials.
    @Test func halvesOfEveryPlanShareNoQuery() throws {
        for plan in library.planNames() {
            let text = try String(contentsOfFile: library.planPath(plan), encoding: .utf8)
            guard text.contains("\nfamilies:") else { continue }
            let tuning = try parts(plan, .tuning, trials: 4)
            let test = try parts(plan, .test, trials: 4)
            #expect(!tuning.digests.isEmpty && tuning.digests.isDisjoint(with: test.digests), "\(plan)")
            #expect(!tuning.queries.isEmpty && tuning.queries.isDisjoint(with: test.queries), "\(plan)")
        }
    }

    @Test func aClassIsInOneHalf() throws {
        for name in try library.names() {
            let lock = try library.lock(of: library.recipe(named: name))
            for (classID, members) in Dictionary(grouping: Track.tracks(of: lock) { _ in nil }, by: \.classID)
            {
                #expect(Set(members.map(\.half)).count == 1, "\(name): \(classID)")
            }
        }
    }

    /// Without fetched corpora the recordings of formulas are divided as well.
    @Test func noiseOfFormulasIsDivided() throws {
        let empty = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.file("empty"))
        let materials = try CorpusHalf.allCases.map {
            try CorpusMaterial(library: empty, music: nil, half: $0)
        }
        for kind in MaterialKind.allCases {
            #expect(materials[0].digest(of: kind) != materials[1].digest(of: kind))
            let recordings = try materials.map { try #require($0.recordings[kind]) }
            #expect(recordings[0].isDisjoint(with: recordings[1]) && recordings.allSatisfy { $0.count >= 4 })
        }
    }
}
