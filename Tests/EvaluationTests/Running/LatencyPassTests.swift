import AudioCore
import Corpora
import Evaluation
import Foundation
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct LatencyPassTests {
    /// Notes which catalog is asked which query.
    private final class Listening: Matcher {
        struct Ask: Equatable {
            var catalog: ObjectIdentifier
            var query: String
            var samples: String
        }

        let name = "listening"
        let version = "1"
        let settings: [String: String] = [:]
        static let asks = Mutex<[Ask]>([])

        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] {
            Self.asks.withLock {
                $0.append(
                    Ask(catalog: ObjectIdentifier(self), query: query.name, samples: query.audio.digest))
            }
            return []
        }
    }

    private struct Bench {
        let plan: Plan
        let material: CorpusMaterial
        let contestant: Contestant
        let folder: TemporaryFolder
        let store: TrialStore
        let key: TrialStore.RunKey
        let facts: RunFacts

        /// Runs what the store lacks and returns what the matcher was asked.
        func run(passes: Int = 1) throws -> [Listening.Ask] {
            Listening.asks.withLock { $0 = [] }
            var run = EvaluationRun(
                plan: plan, material: material, contestant: contestant, jobs: 1, folder: folder.path)
            run.latencyPasses = passes
            try run.run(store: store, key: key, facts: facts)
            return Listening.asks.withLock { $0 }
        }

        var timed: [TrialRecord] {
            get throws { try store.records(of: key).filter { $0.latency != nil } }
        }
    }

    private func bench() throws -> Bench {
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
        return Bench(
            plan: plan, material: material, contestant: contestant, folder: folder, store: store, key: key,
            facts: facts)
    }

    @Test func everyCatalogIsWarmWhenItIsTimed() throws {
        let bench = try bench()
        let asks = try bench.run()
        let timed = try bench.timed
        #expect(timed.count == min(12, bench.plan.trials.count))
        #expect(Set(timed.map(\.trial.fold)).count > 1)
        // The pass comes after all trials, and asks a query of each catalog once more before it is timed.
        let pass = Array(asks.dropFirst(bench.plan.trials.count))
        let switches = pass.indices.filter { $0 == 0 || pass[$0].catalog != pass[$0 - 1].catalog }
        #expect(switches.count == Set(timed.map(\.trial.fold)).count)
        #expect(switches.allSatisfy { $0 + 1 < pass.count && pass[$0 + 1].query == pass[$0].query })
        #expect(pass.count == timed.count + switches.count)
    }

    @Test func noTimedQueryWasAskedBefore() throws {
        let bench = try bench()
        let asks = try bench.run(passes: 3)
        let trials = asks.prefix(bench.plan.trials.count)
        let pass = Array(asks.dropFirst(bench.plan.trials.count))
        let known = Set(trials.map(\.samples))
        let warming = pass.indices.filter { $0 == 0 || pass[$0].catalog != pass[$0 - 1].catalog }
        #expect(warming.allSatisfy { known.contains(pass[$0].samples) }, "what warms a catalog is known")
        let timed = pass.filter { !known.contains($0.samples) }
        #expect(timed.count == 3 * (try bench.timed).count)
        #expect(Set(timed.map(\.samples)).count == timed.count)
        // Every matcher gets the same.
        let again = try self.bench().run(passes: 3).dropFirst(bench.plan.trials.count)
        #expect(again.map(\.samples) == pass.map(\.samples))
    }

    @Test func aFinishedRunGetsThePassesItLacks() throws {
        let bench = try bench()
        let first = try bench.run().count - bench.plan.trials.count
        let records = try bench.store.records(of: bench.key)
        #expect(try bench.run(passes: 1) == [])
        let more = try bench.run(passes: 3)
        #expect(more.count == 2 * first)
        // All queries once, then all of them again, so that passes differ by the moment.
        #expect(more.prefix(first).map(\.query) == more.suffix(first).map(\.query))
        #expect(try bench.run(passes: 2) == [])
        let timed = try bench.timed
        for record in timed {
            let passes = try #require(record.latency).passes
            #expect(passes.count == 3 && passes.compactMap(\.startedAt).count == 3)
            #expect(passes.map { $0.startedAt ?? 0 } == passes.map { $0.startedAt ?? 0 }.sorted())
        }
        // Trials and their answers stay.
        #expect(try bench.store.records(of: bench.key).map(\.withoutLatency) == records.map(\.withoutLatency))
    }

    @Test func theLatencyIsTheMedianOfThePassesThatHaveOne() throws {
        let passes = [3, .nan, 1, -1, .infinity, 8].map { TrialRecord.Latency.Pass(milliseconds: $0) }
        let latency = TrialRecord.Latency(passes: passes)
        #expect(latency.milliseconds == 3 && latency.processorMilliseconds == nil)
        #expect(TrialRecord.Latency(milliseconds: .nan).milliseconds.isNaN)
        let earlier = Data(#"{"milliseconds":2.5,"processorMilliseconds":1}"#.utf8)
        let read = try JSONDecoder().decode(TrialRecord.Latency.self, from: earlier)
        #expect(read == TrialRecord.Latency(milliseconds: 2.5, processorMilliseconds: 1))
    }
}
