import AudioCore
import Corpora
import Evaluation
import Foundation
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite struct LatencyPassTests {
    /// Notes which catalog is asked which query.
    private final class Listening: Matcher {
        struct Ask: Equatable {
            var catalog: ObjectIdentifier
            var query: String
        }

        let name = "listening"
        let version = "1"
        let settings: [String: String] = [:]
        static let asks = Mutex<[Ask]>([])

        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] {
            Self.asks.withLock { $0.append(Ask(catalog: ObjectIdentifier(self), query: query.name)) }
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
        let contestant = Contestant(name: "listening", summary: "") { Listening() }
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "listening")
        let facts = try RunFacts(
            plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: 1, request: RunRequest(),
            notes: [])
        _ = try EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 1, folder: folder.path
        ).run(store: store, key: key, facts: facts)
        let timed = try store.records(of: key).filter { $0.latency != nil }
        #expect(timed.count == min(12, plan.trials.count))
        #expect(Set(timed.map(\.trial.fold)).count > 1)
        // The pass comes after all trials, and asks a query of each catalog once more before it is timed.
        let pass = Array(Listening.asks.withLock { $0 }.dropFirst(plan.trials.count))
        let switches = pass.indices.filter { $0 == 0 || pass[$0].catalog != pass[$0 - 1].catalog }
        #expect(switches.count == Set(timed.map(\.trial.fold)).count)
        #expect(switches.allSatisfy { $0 + 1 < pass.count && pass[$0 + 1] == pass[$0] })
        #expect(pass.count == timed.count + switches.count)
    }
}
