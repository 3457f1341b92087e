import AudioCore
import Corpora
import Evaluation
import Foundation
import Matchers
import Synchronization
import TestSupport
import Testing

/// Matchers that know queries or keep answers are told from honest ones.
@Suite(.serialized) struct MemoryCheckTests {
    /// Looks up all samples of a clean query in an index of every 256th frame of the references.
    private final class Searching: Matcher {
        enum Kind: String {
            /// Finds every second query, by its samples.
            case honest
            /// Keeps what it answered by the digest of the samples.
            case remembering
            /// Knows the samples that the plan asks, and finds nothing else.
            case knowing
        }

        let name: String
        let version = "1"
        let settings: [String: String] = [:]
        private let kind: Kind
        private let plan: [String: String]
        private let index = Mutex<[UInt64: String]>([:])
        private let answers = Mutex<[String: [Candidate]]>([:])

        init(_ kind: Kind, plan: [String: String]) {
            name = kind.rawValue
            self.kind = kind
            self.plan = plan
        }

        private static func key(_ samples: [Float], _ frame: Int) -> UInt64 {
            UInt64(samples[frame].bitPattern) << 32 | UInt64(samples[frame + 1].bitPattern)
        }

        func enrol(id: String, audio: AudioBuffer) {
            let samples = audio.mono()
            index.withLock { index in
                for frame in stride(from: 0, to: samples.count - 1, by: 256) where samples[frame] != 0 {
                    index[Self.key(samples, frame)] = id
                }
            }
        }

        func finishEnrolment() -> Int? { nil }

        func identify(_ query: Query) -> [Candidate] {
            let digest = query.audio.digest
            func answer(_ id: String) -> [Candidate] {
                [Candidate(referenceID: id, offsetSeconds: 0, score: 1, isAccepted: true)]
            }
            if kind == .knowing { return plan[digest].map(answer) ?? [] }
            if kind == .remembering, let known = answers.withLock({ $0[digest] }) { return known }
            let samples = query.audio.mono()
            var votes: [String: Int] = [:]
            index.withLock { index in
                for frame in 0..<samples.count - 1 {
                    if let id = index[Self.key(samples, frame)] { votes[id, default: 0] += 1 }
                }
            }
            var found = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { answer($0.key) } ?? []
            if kind == .honest, digest.utf8.last.map({ $0 % 2 == 0 }) == true { found = [] }
            answers.withLock { $0[digest] = found }
            return found
        }
    }

    private static let text = """
        name: clean
        corpus: synthetic
        seed: 4
        positives: 30
        negatives: 0
        lengthSeconds: 2
        latencyTrials: 0
        families: [{name: clean}]
        """

    /// The facts of a run with a check.
    private func facts(_ kind: Searching.Kind, seed: UInt64) throws -> RunFacts {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let plan = try Plan(
            file: PlanFile(text: Self.text, name: "t.yaml"), corpus: corpus, material: material)
        var known: [String: String] = [:]
        if kind == .knowing {
            let recordings = RecordingCache(corpus: corpus, capacity: 100)
            for trial in plan.trials {
                let source = try #require(trial.source)
                known[try trial.render(from: recordings.recording(source), material: material).digest] =
                    source
            }
        }
        let contestant = Contestant(name: kind.rawValue, summary: "") { [known] in
            Searching(kind, plan: known)
        }
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let key = TrialStore.RunKey(plan: plan.digest, matcher: kind.rawValue)
        var run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 1, folder: folder.path)
        run.memorySeed = seed
        let start = try RunFacts(
            plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: 1, request: RunRequest(),
            notes: [])
        let facts = try run.run(store: store, key: key, facts: start)
        // Its answers count nowhere else, and the finished run keeps what was found.
        #expect(try store.records(of: key).count == plan.trials.count)
        #expect(try store.runs().first?.facts.memoryCheck == facts.memoryCheck)
        #expect(try run.run(store: store, key: key, facts: start).memoryCheck == facts.memoryCheck)
        return facts
    }

    @Test(arguments: [
        (Searching.Kind.honest, [MemoryCheck.Suspicion]()), (.remembering, [.keepsAnswers]),
        (.knowing, [.knowsQueries]),
    ])
    private func aMatcherIsSuspectedOfWhatItDoes(_ kind: Searching.Kind, _ expected: [MemoryCheck.Suspicion])
        throws
    {
        let check = try #require(try facts(kind, seed: 11).memoryCheck)
        #expect(check.pairs.count == 30)
        #expect(check.suspicions == expected, "seed \(check.seed): \(check.recall) \(check.cost)")
    }

    @Test func theSeedDecidesTheFreshCuts() throws {
        let rights = try [1, 1, 2].map { seed in
            try #require(try facts(.honest, seed: seed).memoryCheck).pairs.sorted { $0.trial < $1.trial }
                .map(\.fresh.isRight)
        }
        #expect(rights[0] == rights[1] && rights[0] != rights[2])
    }

    /// What is drawn without a difference is suspected in less than one of a hundred.
    @Test func anHonestMatcherIsHardlyEverSuspected() {
        var suspected = 0
        for number in 0..<1_000 {
            var generator = SeededGenerator(seed: 7, "\(number)")
            let pairs = (0..<60).map { place -> MemoryCheck.Pair in
                let cluster = place % 15
                // Recordings differ in how well they are found, and queries in what they cost.
                let rate = 0.5 + Double(cluster) / 30
                func answer() -> MemoryCheck.Answer {
                    .init(
                        isRight: generator.uniform(in: 0...1) < rate,
                        processorMilliseconds: 5 * exp(generator.uniform(in: -1...1)))
                }
                return .init(trial: "\(place)", cluster: "\(cluster)", again: answer(), fresh: answer())
            }
            if !MemoryCheck(seed: 0, pairs: pairs).suspicions.isEmpty { suspected += 1 }
        }
        #expect(suspected < 10)
    }
}
