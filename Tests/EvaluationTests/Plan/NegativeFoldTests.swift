import AudioCore
import Corpora
import Evaluation
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite struct NegativeFoldTests {
    static let text = """
        name: folds
        corpus: synthetic
        seed: 4
        positives: {perTrack: 1}
        negatives: {perTrack: 2}
        negativeFolds: 3
        lengthSeconds: 2
        latencyTrials: 0
        families:
          - name: clean
          - {name: silence, source: silence, negatives: 2}
        """

    private static func plan(_ text: String = text) throws -> (plan: Plan, material: CorpusMaterial) {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let file = try PlanFile(text: text, name: "t.yaml")
        return (try Plan(file: file, corpus: corpus, material: material), material)
    }

    @Test func negativesComeFromUnenrolledTracksAndFolds() throws {
        let (plan, _) = try Self.plan()
        let tracks = Dictionary(uniqueKeysWithValues: plan.corpus.tracks.map { ($0.id, $0) })
        var leftOut = 0
        for trial in plan.trials {
            guard let source = trial.source, let track = tracks[source] else {
                #expect(trial.fold == nil && !trial.isPositive)
                continue
            }
            let isKnown = plan.references(leavingOut: trial.fold).contains { $0.classID == track.classID }
            #expect(isKnown == trial.isPositive, "\(trial.id)")
            #expect((trial.fold != nil) == (!trial.isPositive && track.isEnrolled))
            leftOut += trial.fold == nil ? 0 : 1
        }
        let half = plan.corpus.tracks.filter { $0.role == .enrolled(.test) }
        #expect(leftOut == 2 * Set(half.map(\.classID)).count)
        #expect(plan.folds == [0, 1, 2])
        #expect(try Self.plan().plan.trials == plan.trials)
    }

    @Test func everyClassOfTheHalfIsLeftOutOnceAndTheOtherHalfNever() throws {
        let (plan, _) = try Self.plan()
        let all = plan.references(leavingOut: nil)
        var absences: [String: Int] = [:]
        for fold in 0..<3 {
            let known = Set(plan.references(leavingOut: fold).map(\.id))
            for track in all where !known.contains(track.id) { absences[track.id, default: 0] += 1 }
        }
        for track in all { #expect(absences[track.id] == (track.role == .enrolled(.test) ? 1 : nil)) }
    }

    @Test func aFoldDependsOnTheNameOfTheClassAlone() {
        let folds = NegativeFolds(count: 5)
        let drawn = (0..<500).map { folds.fold(ofClass: "package/track\($0).ogg") }
        #expect(drawn == (0..<500).map { NegativeFolds(count: 5).fold(ofClass: "package/track\($0).ogg") })
        for fold in 0..<5 { #expect((60...140).contains(drawn.count { $0 == fold }), "fold \(fold)") }
    }

    /// Answers every query with all enrolled references.
    final class Parrot: Matcher {
        static let prepared = Mutex(0)
        let name = "parrot"
        let version = "1"
        let settings: [String: String] = [:]
        private let known = Mutex([String]())
        var powers: MatcherPowers {
            MatcherPowers(
                preparation: .init(key: name, prepare: Self.prepare) { id, _ in self.enrol(id) })
        }
        private static func prepare(_ audio: AudioBuffer) -> Int {
            prepared.withLock { $0 += 1 }
            return audio.frameCount
        }
        private func enrol(_ id: String) { known.withLock { $0.append(id) } }
        func enrol(id: String, audio: AudioBuffer) { enrol(id) }
        func finishEnrolment() -> Int? { known.withLock { $0.count } }
        func identify(_ query: Query) -> [Candidate] {
            known.withLock { known in
                let digest = known.sorted().joined(separator: "|")
                return [Candidate(referenceID: digest, offsetSeconds: 0, score: 1, isAccepted: true)]
            }
        }
    }

    @Test func eachTrialMeetsTheCatalogOfItsFoldAndNoRecordingIsPreparedTwice() throws {
        let (plan, material) = try Self.plan()
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let contestant = Contestant(name: "parrot", summary: "") { Parrot() }
        var first: [TrialRecord]?
        for jobs in [1, 2] {
            let before = Parrot.prepared.withLock { $0 }
            let key = TrialStore.RunKey(plan: plan.digest, matcher: "\(jobs)")
            let run = EvaluationRun(
                plan: plan, material: material, contestant: contestant, jobs: jobs, folder: folder.path)
            let facts = try run.run(
                store: store, key: key,
                facts: RunFacts(
                    plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: jobs,
                    request: RunRequest(), notes: plan.notes(material: material)))
            #expect(Parrot.prepared.withLock { $0 } - before == plan.references(leavingOut: nil).count)
            #expect(facts.indexBytes == plan.references(leavingOut: nil).count)
            #expect(facts.notes[0].contains("3 folds"))
            let records = try store.records(of: key)
            #expect(records.count == plan.trials.count)
            for (record, trial) in zip(records, plan.trials) {
                let known = plan.references(leavingOut: trial.fold).map(\.id).sorted()
                #expect(record.candidates.first?.referenceID == known.joined(separator: "|"))
                #expect(record.trial.fold == trial.fold)
                #expect(record.truthReferences.isEmpty != record.trial.isPositive)
                if trial.source != nil {
                    let start = try #require(record.sourceStartSeconds)
                    #expect(try abs(#require(record.sourceEndSeconds) - start - 2) < 1e-9)
                }
            }
            if let first { #expect(records == first) } else { first = records }
        }
    }
}
