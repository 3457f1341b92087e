import AudioCore
import Corpora
import Evaluation
import Foundation
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite struct LatencyPassTests {
    /// Takes half a second where the last query was for another catalog, as if its index had left the caches.
    private final class ColdAtFirst: Matcher {
        let name = "cold"
        let version = "1"
        let settings: [String: String] = [:]
        static let lastAsked = Mutex<ObjectIdentifier?>(nil)

        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] {
            let isCold = Self.lastAsked.withLock { last in
                defer { last = ObjectIdentifier(self) }
                return last != ObjectIdentifier(self)
            }
            if isCold { Thread.sleep(forTimeInterval: 0.5) }
            return []
        }
    }

    @Test func everyCatalogIsWarmWhenItIsTimed() throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let text = """
            name: folds
            corpus: synthetic
            seed: 4
            positives: 2
            negatives: {perTrack: 1}
            negativeFolds: 3
            lengthSeconds: 2
            latencyTrials: 12
            families: [{name: clean}]
            """
        let plan = try Plan(
            file: PlanFile(text: text, name: "t.yaml"), corpus: corpus, material: material)
        let contestant = Contestant(name: "cold", summary: "") { ColdAtFirst() }
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "cold")
        let facts = try RunFacts(
            plan: plan, contestant: contestant, key: key, jobs: 1, request: RunRequest(), notes: [])
        _ = try EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 1, folder: folder.path
        ).run(store: store, key: key, facts: facts)
        let timed = try store.records(of: key).filter { $0.latency != nil }
        #expect(timed.count == min(12, plan.trials.count))
        #expect(Set(timed.map(\.trial.fold)).count > 1)
        for record in timed {
            #expect((record.latency?.milliseconds ?? .infinity) < 400, "\(record.trial.id)")
        }
    }
}
