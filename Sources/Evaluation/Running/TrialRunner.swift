import AudioCore
import Foundation
import Matchers
import SystemIO

/// Runs trials on an enrolled contestant.
package struct TrialRunner: Sendable {
    package let enrolment: Enrolment
    package let queries: QuerySource
    package let stages: StageClock
    package let progress: EvaluationRun.Progress

    package init(
        enrolment: Enrolment, queries: QuerySource, stages: StageClock = StageClock(),
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) {
        self.enrolment = enrolment
        self.queries = queries
        self.stages = stages
        self.progress = progress
    }

    /// Makes the query of `trial`, matches it and returns the record.
    package func record(_ trial: Trial) throws -> TrialRecord { try timedRecord(trial).record }

    /// As ``record(_:)``, with the matcher's processor seconds on this thread; nil if it did not run.
    ///
    /// - Throws: Any error but ``TrialError``, which the record holds.
    package func timedRecord(_ trial: Trial) throws -> (record: TrialRecord, processorSeconds: Double?) {
        var processorSeconds: Double?
        var record = TrialRecord(trial)
        try record.addReferences(of: trial) { try queries.recordings.track($0) }
        do {
            let query = try stages.measure(.queries) { try queries.query(of: trial) }
            record.query = query.facts
            record.take(try answers(to: trial, query, &record, &processorSeconds).prefix(10))
        } catch let error as TrialError where error.cause == .machine {
            record.notMeasured = error.description
            return (record, nil)
        } catch let error as TrialError {
            record.isOffered = error.cause == .matcher
            record.error = error.description
            return (record, processorSeconds)
        }
        try stages.measure(.judging) { try searchRepeat(of: trial, record: &record) }
        return (record, processorSeconds)
    }

    /// The contestant's answers, from the cache if possible.
    private func answers(
        to trial: Trial, _ query: (facts: QueryFacts, audio: AudioBuffer?),
        _ record: inout TrialRecord, _ processorSeconds: inout Double?
    ) throws -> [Candidate] {
        let catalog = enrolment.key(leavingOut: trial.fold)
        if let catalog, let known = queries.cache?.answers(catalog: catalog, query: query.facts.digest) {
            record.cachedCommit = known.commit
            return known.candidates
        }
        let audio = try query.audio ?? stages.measure(.queries) { try queries.audio(of: trial, query.facts) }
        let began = ThreadClock.seconds
        let candidates = try stages.measure(.matching) { try identify(audio, record) }
        processorSeconds = ThreadClock.seconds - began
        if let catalog {
            stages.measure(.storing) {
                queries.cache?.keep(candidates, catalog: catalog, query: query.facts.digest)
            }
        }
        return candidates
    }

    /// The query under an opaque name, because the trial's name would reveal its truth.
    private func query(_ audio: AudioBuffer, _ record: TrialRecord) -> Query {
        Query(name: String(format: "q%06d", record.trial.index), audio: audio)
    }

    func identify(_ audio: AudioBuffer, _ record: TrialRecord) throws -> [Candidate] {
        let query = query(audio, record)
        let matcher = enrolment.matcher(leavingOut: record.trial.fold)
        let candidates = try TrialError.asking {
            if let control = matcher.powers.control {
                return try control(query, record.truthReferences, record.truth)
            }
            return try matcher.identify(query)
        }
        if let fault = candidates.lazy.compactMap(\.fault).first {
            throw TrialError(.matcher, "\(matcher.name) answered \(fault)")
        }
        return candidates
    }

    /// Compares the true and the answered place if the right recording is named at another place.
    private func searchRepeat(of trial: Trial, record: inout TrialRecord) throws {
        guard let source = trial.source, let query = record.query, let truth = record.truth,
            let offset = truth.offsetSeconds, let answer = record.placedCandidate,
            let named = answer.offsetSeconds, let delta = record.truthOffsetDeltas[answer.referenceID]
        else { return }
        let nearSeconds = 0.5 + (truth.offsetToleranceSeconds ?? 0)
        let answered = named - delta
        guard abs(answered - offset) > nearSeconds else { return }
        record.repetition = try RepeatSearch(
            recording: try queries.recordings.recording(source), trueSeconds: offset,
            answeredSeconds: answered, lengthSeconds: query.durationSeconds * (1 + (truth.timeSkew ?? 0)))
    }

    var freshQueries: FreshQueries { FreshQueries(queries: queries) }

    /// Measures the contestant's latency on `sample`, one query at a time on one thread.
    ///
    /// What is timed is a cut near the trial's query that the matcher was never asked, and its answers count nowhere. So a
    /// matcher that keeps answers gains nothing. Silence has no other cut and no latency. Each pass times all queries that have had fewer passes. So passes differ by the moment, and not by the query. A query
    /// that fails only now has no latency.
    ///
    /// - Returns: The errors.
    package func measureLatency(
        _ sample: [Trial], passes: Int = 1, store: TrialStore, key: TrialStore.RunKey
    ) throws -> [String] {
        let known = try store.latencyPasses(of: key)
        // The records of all trials would take memory beside decoded recordings.
        let asked = Set(sample.map(\.id))
        let records = Dictionary(
            uniqueKeysWithValues: try store.records(of: key).filter { asked.contains($0.trial.id) }
                .map { ($0.trial.id, $0) })
        let timed = sample.filter { trial in
            (trial.source != nil || trial.recorded != nil)
                && records[trial.id].map { $0.isOffered && $0.error == nil && $0.notMeasured == nil } ?? false
        }
        let work = (0..<passes).map { pass in timed.filter { known[$0.id] ?? 0 <= pass } }
        let total = work.reduce(0) { $0 + $1.count }
        var errors: [String] = []
        var done = 0
        for (pass, trials) in work.enumerated() where !trials.isEmpty {
            errors += try measureLatency(trials, records, pass: pass, store: store, key: key) {
                done += 1
                progress("latency", done, total)
            }
        }
        return errors
    }

    /// Times each trial once.
    ///
    /// Queries of one catalog are timed in batches. First their samples are made ready, the machine's speed is measured,
    /// and one query warms the catalog.
    private func measureLatency(
        _ wanted: [Trial], _ records: [String: TrialRecord], pass: Int, store: TrialStore,
        key: TrialStore.RunKey,
        step: () -> Void
    ) throws -> [String] {
        let startedAt = Date().timeIntervalSince1970
        var errors: [String] = []
        // One catalog after the other, so that only one of them has to stay in the processor's caches.
        for (_, trials) in Dictionary(grouping: wanted, by: \.fold).sorted(by: { $0.key ?? -1 < $1.key ?? -1 }
        ) {
            for start in stride(from: 0, to: trials.count, by: Self.latencyBatch) {
                let batch = try trials[start..<min(start + Self.latencyBatch, trials.count)].compactMap {
                    trial in
                    try records[trial.id].flatMap { record in
                        try record.query.map { query in
                            (
                                record: record, audio: try freshQueries.near(trial, query, number: pass),
                                trial: trial
                            )
                        }
                    }
                }
                guard let first = batch.first, let query = first.record.query else { continue }
                let known = try queries.audio(of: first.trial, query)
                let before = CalibrationLoop.milliseconds()
                // Rendering and the loop have displaced the catalog from the caches.
                _ = try? identify(known, first.record)
                var timed: [(id: String, answers: TimedAnswers)] = []
                for (record, audio, trial) in batch {
                    step()
                    do {
                        timed.append((trial.id, try identifyTimed(audio, record)))
                    } catch let error as TrialError {
                        errors.append("\(trial.id): \(error)")
                    }
                }
                // Before and after, because the machine's speed may change.
                let calibration = (before + CalibrationLoop.milliseconds()) / 2
                for (id, answers) in timed {
                    try store.add(
                        TrialRecord.Latency.Pass(
                            milliseconds: answers.milliseconds, calibrationMilliseconds: calibration,
                            processorMilliseconds: answers.processorMilliseconds, startedAt: startedAt),
                        of: id, in: key)
                }
            }
        }
        return errors
    }

    /// The number of queries that are timed between two runs of ``CalibrationLoop``; their samples are in memory.
    private static let latencyBatch = 16

    /// Identifies a query while nothing else runs in this process.
    ///
    /// - Throws: ``TrialError``; also if the machine stood still meanwhile, so that the time is no time of the matcher.
    func identifyTimed(_ audio: AudioBuffer, _ record: TrialRecord) throws -> TimedAnswers {
        if let remote = enrolment.matcher(leavingOut: record.trial.fold).powers.remote {
            return try TrialError.asking { try remote.identifyTimed(query(audio, record)) }
        }
        let clock = ContinuousClock()
        let stopped = RunningClock.stoppedSeconds
        let (start, processor) = (clock.now, ProcessClock.seconds)
        let candidates = try identify(audio, record)
        let end = clock.now
        guard RunningClock.stoppedSeconds == stopped else {
            throw TrialError(.machine, "the machine stood still while it was timed")
        }
        return TimedAnswers(
            candidates: candidates, milliseconds: (end - start).seconds * 1000,
            processorMilliseconds: (ProcessClock.seconds - processor) * 1000)
    }
}
