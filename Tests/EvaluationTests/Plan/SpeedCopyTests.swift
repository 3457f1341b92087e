import AudioCore
import Corpora
import Degradations
import Evaluation
import MatcherAdapters
import TestSupport
import Testing

@Suite struct SpeedCopyTests {
    static let text = """
        name: copies
        corpus: synthetic
        seed: 6
        positives: {perTrack: 1}
        negatives: 2
        lengthSeconds: 4
        latencyTrials: 0
        speedCopies: {tracks: 2, percents: [-0.1, 0, 0.1]}
        families: [{name: clean}]
        """

    private static func plan(_ text: String = text) throws -> (
        plan: Plan, corpus: Corpus, material: CorpusMaterial
    ) {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let file = try PlanFile(text: text, name: "t.yaml")
        return (try Plan(file: file, corpus: corpus, material: material), corpus, material)
    }

    @Test func copiesReplaceTheirTracks() throws {
        let (plan, corpus, _) = try Self.plan()
        let copies = plan.corpus.tracks.filter { $0.copy != nil }
        let originals = Set(copies.compactMap(\.copy?.original))
        #expect(copies.count == 6 && originals.count == 2)
        #expect(plan.corpus.tracks.count == corpus.tracks.count + 4)
        #expect(!plan.corpus.tracks.contains { originals.contains($0.id) })
        #expect(Set(plan.trials.filter(\.isPositive).map(\.source)) == Set(copies.map(\.id)))
        #expect(plan.trials.count == 6 + 2)
        #expect(Set(plan.references(leavingOut: nil).map(\.id)).isSuperset(of: copies.map(\.id)))
        #expect(try Self.plan().plan.trials == plan.trials)
    }

    @Test func aCopyIsItsTrackAtTheExactSpeed() throws {
        let (plan, corpus, _) = try Self.plan()
        for track in plan.corpus.tracks where track.copy != nil {
            let copy = try #require(track.copy)
            let original = try #require(corpus.tracks.first { $0.id == copy.original })
            let audio = try plan.corpus.audio(of: track)
            let source = try corpus.audio(of: original)
            if copy.speed.skew == 0 {
                #expect(audio == source)
            } else {
                #expect(abs(abs(copy.speed.skew) - 0.001) < 1e-12)
                let ratio = Double(source.frameCount) / Double(audio.frameCount)
                #expect(abs(ratio - copy.speed.ratio) < 1e-6)
            }
            #expect(abs(track.durationSeconds - audio.durationSeconds) < 1e-3)
        }
    }

    @Test func onlyThatCopyIsRight() throws {
        let (plan, _, material) = try Self.plan()
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let contestant = Contestants.earshot
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "earshot")
        let run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 2, folder: folder.path)
        try run.run(
            store: store, key: key,
            facts: RunFacts(
                plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: 2,
                request: RunRequest(),
                notes: []))
        for record in try store.records(of: key) where record.trial.isPositive {
            #expect(record.truthReferences == [record.trial.source])
            let best = try #require(record.candidates.first)
            // A clean query is one of the copies of its track; at its own speed it has no skew.
            #expect(best.referenceID.prefix { $0 != "@" } == record.trial.source.prefix { $0 != "@" })
            let free = try #require(best.freeFrequencySkew)
            #expect(try #require(best.frequencySkewStandardError) > 0)
            if best.referenceID == record.trial.source { #expect(abs(free) < 5e-4) }
        }
    }

    @Test func tooManyTracksIsAnError() throws {
        #expect(throws: ConfigurationError.self) {
            try Self.plan(Self.text.replacing("tracks: 2", with: "tracks: 1000"))
        }
    }
}
