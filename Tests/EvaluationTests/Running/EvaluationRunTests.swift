import AudioCore
import AudioIO
import Corpora
import Degradations
import Evaluation
import EvaluationTestSupport
import Foundation
import MatcherAdapters
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite struct EvaluationRunTests {
    static let planText = """
        name: t
        corpus: synthetic
        seed: 9
        positives: 3
        negatives: 2
        lengthSeconds: 2
        latencyTrials: 3
        families:
          - name: clean
          - name: gain
            unit: dB
            severities: [-6, 6]
            chain: [{gain: {decibels: $severity}}]
          - {name: silence, source: silence}
        """

    private func plan() throws -> (Plan, Corpus, CorpusMaterial) {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let file = try PlanFile(text: Self.planText, name: "t.yaml")
        return (try Plan(file: file, corpus: corpus, material: material), corpus, material)
    }

    private func facts(_ plan: Plan, _ corpus: Corpus, _ contestant: Contestant, _ key: TrialStore.RunKey)
        throws -> RunFacts
    {
        try RunFacts(
            plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: 2, request: RunRequest(),
            notes: [])
    }

    @Test func aPlanIsAPureFunctionOfItsInputs() throws {
        let (plan, corpus, material) = try plan()
        let (again, _, _) = try self.plan()
        #expect(plan.trials == again.trials)
        #expect(plan.digest == again.digest)
        #expect(plan.trials.count == 3 * 5 + 2)
        #expect(Set(plan.trials.map(\.id)).count == plan.trials.count)
        #expect(plan.trials.map(\.index) == Array(plan.trials.indices))
        let other = try Plan(file: plan.file, corpus: corpus, material: material, seed: 10)
        #expect(other.digest != plan.digest)
        #expect(other.trials.map(\.startSeed) != plan.trials.map(\.startSeed))
        let roles = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0.role) })
        for trial in plan.trials {
            guard let source = trial.source else { continue }
            #expect(roles[source] == (trial.isPositive ? .enrolled(.test) : .negative))
        }
    }

    @Test func aPlanOfTenMillionTrialsIsRefusedWithItsSize() throws {
        let (plan, corpus, material) = try plan()
        let severities = (1...100).map { "-\($0)" }.joined(separator: ", ")
        let text = Self.planText.replacing("positives: 3", with: "positives: 100000")
            .replacing("[-6, 6]", with: "[\(severities)]")
        let file = try PlanFile(text: text, name: "many.yaml")
        let error = try #require(throws: ConfigurationError.self) {
            try Plan(file: file, corpus: corpus, material: material, half: plan.half)
        }
        #expect(error.file == "many.yaml" && error.line == 10)
        #expect(error.description.contains("at most 2000000"))
    }

    @Test func aShiftMovesTheQueryAndItsTruthAlike() throws {
        let (plan, corpus, material) = try plan()
        var file = plan.file
        file.startShiftFrames = 1
        let shifted = try Plan(file: file, corpus: corpus, material: material)
        #expect(shifted.panelDigest == plan.panelDigest && shifted.digest != plan.digest)
        let trial = try #require(plan.trials.first { $0.isPositive })
        let later = try #require(shifted.trial(named: trial.id))
        let track = try #require(corpus.tracks.first { $0.id == trial.source })
        let recording = try corpus.audio(of: track)
        let (one, other) = (
            try trial.render(from: recording, material: material),
            try later.render(from: recording, material: material)
        )
        let frame = 1 / Double(recording.sampleRate)
        let moved = try #require(other.truth.offsetSeconds) - #require(one.truth.offsetSeconds)
        #expect(abs(moved - frame) < 1e-9)
        #expect(other.audio.channel(0).dropLast() == one.audio.channel(0).dropFirst())
    }

    @Test func moreTrialsDoNotChangeTheFirstOnes() throws {
        let (plan, corpus, material) = try plan()
        var file = plan.file
        try file.override(positives: 5, negatives: 2)
        let larger = try Plan(file: file, corpus: corpus, material: material)
        for trial in plan.trials {
            var same = try #require(larger.trial(named: trial.id))
            same.index = trial.index
            #expect(same == trial)
        }
    }

    @Test(arguments: [("null", 0.0), ("oracle", 1.0)])
    func controlsAnswerAllOrNothing(_ name: String, _ recall: Double) throws {
        let (plan, corpus, material) = try plan()
        let contestant = try #require(Contestants.named(name))
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let key = TrialStore.RunKey(plan: plan.digest, matcher: name)
        let run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 2, folder: folder.path)
        let facts = try run.run(store: store, key: key, facts: facts(plan, corpus, contestant, key))
        let records = try store.records(of: key)
        #expect(records.count == plan.trials.count)
        let sources = plan.trials.filter(\.isPositive).compactMap(\.source)
        #expect(facts.recordings.map { Set($0.keys) } == Set(sources))
        #expect(facts.recordings?.values.allSatisfy { $0.sound != nil && $0.durationSeconds > 0 } == true)
        #expect(records.allSatisfy { $0.error == nil && $0.isOffered })
        for record in records where record.trial.isPositive {
            let isRight =
                record.candidates.first.map { record.truthReferences.contains($0.referenceID) } ?? false
            #expect(isRight == (recall == 1))
        }
        #expect(!records.contains { !$0.trial.isPositive && !$0.candidates.isEmpty })
        #expect(facts.latencyTrialCount == 3)
        #expect(
            records.filter { $0.latency != nil }.map(\.trial.id)
                == plan.latencySample(limit: 3).map(\.id))
    }

    /// Fails on every query, or only counts queries.
    final class Troubled: Matcher {
        struct Refusal: Error {}
        let name = "troubled"
        let version = "1"
        let settings: [String: String] = [:]
        let failing: Bool
        static let asked = Mutex(0)
        init(failing: Bool) { self.failing = failing }
        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) throws -> [Candidate] {
            Self.asked.withLock { $0 += 1 }
            if failing { throw Refusal() }
            return []
        }
    }

    /// Answers its first query, and then as `answer` says.
    final class Faulty: Matcher {
        let name = "faulty"
        let version = "1"
        let settings: [String: String] = [:]
        private let answer: @Sendable () throws -> [Candidate]
        private let asked = Mutex(0)
        init(_ answer: @escaping @Sendable () throws -> [Candidate]) { self.answer = answer }
        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) throws -> [Candidate] {
            let isFirst = asked.withLock {
                $0 += 1
                return $0 == 1
            }
            return isFirst ? [] : try answer()
        }
    }

    private func records(of faulty: Faulty, in store: TrialStore) throws -> [TrialRecord] {
        let (plan, corpus, material) = try plan()
        let contestant = Contestant(name: "faulty", summary: "") { faulty }
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "faulty")
        let folder = URL(fileURLWithPath: store.path).deletingLastPathComponent().path
        let run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 1, folder: folder)
        try run.run(store: store, key: key, facts: facts(plan, corpus, contestant, key))
        return try store.records(of: key)
    }

    @Test func aFailureOfTheMachineEndsTheRunAndIsNoOutcome() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        #expect(throws: MachineError.self) {
            try records(of: Faulty { throw MachineError("the disk is full") }, in: store)
        }
        let key = TrialStore.RunKey(plan: try plan().0.digest, matcher: "faulty")
        #expect(try store.finishedTrials(of: key).count == 1)
        #expect(try store.records(of: key).allSatisfy { $0.error == nil })
        // With room again, the run goes on to what an undisturbed one gives.
        let undisturbed = try TrialStore(path: folder.path + "/u.sqlite")
        let resumed = try records(of: Faulty { [] }, in: store).map(\.withoutLatency)
        #expect(try resumed == records(of: Faulty { [] }, in: undisturbed).map(\.withoutLatency))
    }

    @Test func failuresOfTheJudgeAreToldFromThoseOfATrial() {
        let failures: [any Error] = [
            MachineError("the disk is full"), StoreError(path: "s", message: "the disk is full"),
            CorpusError(.unreadable, "gone"), AudioFileError(.missing, path: "a.wav", "gone"),
        ]
        for failure in failures { #expect(failure.isFailureOfJudge, "\(failure)") }
        let others: [any Error] = [
            TrialError(.matcher, "no answer"), DegradationError(.notOffered, "not at this rate"),
            Troubled.Refusal(),
        ]
        for other in others { #expect(!other.isFailureOfJudge, "\(other)") }
    }

    @Test(arguments: [Double.nan, .infinity, 1e308, -1e308])
    func anImpossibleOffsetIsAnErrorOfItsTrial(_ offset: Double) throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let answer = Candidate(referenceID: "a", offsetSeconds: offset, score: 1, isAccepted: true)
        let records = try records(of: Faulty { [answer] }, in: store)
        #expect(records.count { $0.error?.contains("faulty answered an offset of") == true } == 16)
        #expect(records.allSatisfy { $0.isOffered })
    }

    /// Names two places of the right track: 3 s after the true one, and one that sounds the same.
    ///
    /// It accepts the second only, or neither and ranks that one first.
    final class Repeating: Matcher {
        let name = "repeating"
        let version = "1"
        let settings: [String: String] = [:]
        let accepts: Bool
        init(accepts: Bool) { self.accepts = accepts }
        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] { [] }

        var powers: MatcherPowers {
            MatcherPowers(control: { [accepts] _, references, truth in
                guard let seconds = truth?.offsetSeconds, let id = references.first else { return [] }
                let other = Candidate(
                    referenceID: id, offsetSeconds: seconds + 3, score: 9, isAccepted: false)
                let same = Candidate(
                    referenceID: id, offsetSeconds: seconds < 12 ? seconds + 12 : seconds - 12, score: 5,
                    isAccepted: accepts)
                return accepts ? [other, same] : [same, other]
            })
        }
    }

    @Test(arguments: [true, false])
    func thePlaceOfTheJudgedAnswerIsCompared(isAccepted: Bool) throws {
        let own = try OwnRecordings()
        let piece = OwnRecordings.piece(0)
        let samples = [[Float]](repeating: piece.mono(), count: 3).flatMap(\.self)
        try own.write(AudioBuffer(samples: samples, sampleRate: piece.sampleRate), to: "thrice.wav")
        try own.write(OwnRecordings.piece(1), to: "other.wav")
        let plan = try OwnRecordings.plan(own.corpus())
        let contestant = Contestant(name: "repeating", summary: "") { Repeating(accepts: isAccepted) }
        let runner = TrialRunner(
            enrolment: try Enrolment(of: contestant),
            queries: QuerySource(
                recordings: RecordingCache(corpus: plan.corpus, capacity: 2),
                material: try CorpusMaterial(library: own.library, music: nil), recipe: plan.recipe))
        let trials = plan.trials.filter { $0.isPositive && $0.source == "thrice.wav" }
        try #require(!trials.isEmpty)
        for trial in trials {
            let record = try runner.record(trial)
            let repetition = try #require(record.repetition)
            #expect(repetition.correlation > 0.95 && abs(repetition.offsetErrorSeconds) < 0.001)
            #expect(JudgedTrial(record, threshold: nil).place == (isAccepted ? .repetition : nil))
        }
    }

    /// Records its enrolments, and the number of threads at a time.
    final class Distant: RemoteMatcher {
        struct Lessons {
            var learnt: [String] = []
            var teachers = 0
            var mostTeachers = 0
        }
        let name = "distant"
        let version = "1"
        let settings: [String: String] = [:]
        let processorSeconds: Double? = nil
        let peakMemoryBytes: Int? = nil
        let restartCount = 0
        private let state = Mutex(Lessons())
        var lessons: Lessons { state.withLock { $0 } }

        func enrol(id: String, audio: AudioBuffer) {
            state.withLock {
                $0.learnt.append(id)
                $0.teachers += 1
                $0.mostTeachers = max($0.mostTeachers, $0.teachers)
            }
            Thread.sleep(forTimeInterval: 0.005)
            state.withLock { $0.teachers -= 1 }
        }
        func finishEnrolment() -> Int? { nil }
        func identify(_ query: Query) -> [Candidate] { [] }
        func identifyTimed(_ query: Query) -> TimedAnswers {
            TimedAnswers(candidates: [], milliseconds: 1, processorMilliseconds: nil)
        }
        func setReferenceSource(_ source: @escaping @Sendable (String) throws -> AudioBuffer) {}
    }

    @Test func aRemoteMatcherEnrolsInTheOrderOfThePlan() throws {
        let (plan, corpus, material) = try plan()
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let distant = Distant()
        let contestant = Contestant(name: "distant", summary: "") { distant }
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "distant")
        let run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: 4, folder: folder.path)
        try run.run(store: store, key: key, facts: facts(plan, corpus, contestant, key))
        #expect(distant.lessons.mostTeachers == 1)
        #expect(distant.lessons.learnt == plan.references(leavingOut: nil).map(\.id))
    }

    @Test func anErrorIsRecordedAndAFinishedRunIsNotRepeated() throws {
        let (plan, corpus, material) = try plan()
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        for failing in [true, false] {
            let contestant = Contestant(name: "troubled", summary: "") { Troubled(failing: failing) }
            let key = TrialStore.RunKey(plan: plan.digest, matcher: "\(failing)")
            let run = EvaluationRun(
                plan: plan, material: material, contestant: contestant, jobs: 1, folder: folder.path)
            let first = try run.run(store: store, key: key, facts: facts(plan, corpus, contestant, key))
            let records = try store.records(of: key)
            #expect(records.count == plan.trials.count)
            #expect(records.allSatisfy { ($0.error != nil) == failing })
            guard !failing else { continue }
            let asked = Troubled.asked.withLock { $0 }
            #expect(try run.run(store: store, key: key, facts: facts(plan, corpus, contestant, key)) == first)
            #expect(Troubled.asked.withLock { $0 } == asked)
        }
    }
}
