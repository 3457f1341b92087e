import AudioCore
import Degradations
import Foundation

/// An enrolled contestant and what is needed to try it.
struct Session: Sendable {
    let catalogs: Catalogs
    let queries: QuerySource
    let spool: QuerySpool?
    /// The trials whose queries the latency pass will want.
    let spooled: Set<String>
    let stages: StageClock
    let progress: EvaluationRun.Progress

    /// Makes the query of `trial`, asks the contestant, and writes down what came.
    func record(_ trial: Trial) throws -> TrialRecord {
        var record = TrialRecord(trial)
        let query: (facts: QueryFacts, audio: AudioBuffer?)
        do {
            try addTruthReferences(to: &record, of: trial)
            query = try stages.measure(.queries) { try queries.query(of: trial) }
        } catch let error as DegradationError where error.code == .notOffered {
            record.isOffered = false
            return record
        } catch {
            record.error = "\(error)"
            return record
        }
        record.describe(query.facts)
        do {
            record.candidates = Array(try answers(to: trial, query, record).prefix(10))
        } catch {
            record.error = "\(error)"
            return record
        }
        try stages.measure(.judging) { try searchRepeat(of: trial, record: &record) }
        return record
    }

    /// What the contestant answers, from the cache where it was asked before.
    private func answers(
        to trial: Trial, _ query: (facts: QueryFacts, audio: AudioBuffer?), _ record: TrialRecord
    ) throws -> [Candidate] {
        let catalog = catalogs.key(leavingOut: trial.fold)
        let isWanted = spooled.contains(trial.id)
        if let catalog, let known = try queries.cache?.answers(catalog: catalog, query: query.facts.digest) {
            return known
        }
        let audio = try query.audio ?? stages.measure(.queries) { try queries.audio(of: trial, query.facts) }
        if isWanted { spool?.keep(audio, for: trial.id) }
        let candidates = try stages.measure(.matching) { try identify(audio, record) }
        if let catalog {
            try stages.measure(.storing) {
                try queries.cache?.keep(candidates, catalog: catalog, query: query.facts.digest)
            }
        }
        return candidates
    }

    private func identify(_ audio: AudioBuffer, _ record: TrialRecord) throws -> [Candidate] {
        // An opaque name: the trial's own would tell a contestant its truth.
        let query = Query(name: String(format: "q%06d", record.index), audio: audio)
        let matcher = catalogs.matcher(leavingOut: record.fold)
        if let control = matcher as? any ControlMatcher {
            return try control.identify(query, references: record.truthReferences, truth: record.truth)
        }
        return try matcher.identify(query)
    }

    private func addTruthReferences(to record: inout TrialRecord, of trial: Trial) throws {
        guard let source = trial.source else { return }
        let track = try queries.recordings.track(source)
        record.sourceClass = track.classID
        guard trial.isPositive else { return }
        for member in track.classMembers where try queries.recordings.track(member.id).isEnrolled {
            record.truthReferences.append(member.id)
            record.truthOffsetDeltas[member.id] = member.offsetSeconds
        }
    }

    /// Where the right recording was named at another place, hears whether both places are alike.
    private func searchRepeat(of trial: Trial, record: inout TrialRecord) throws {
        let nearSeconds = 0.5
        guard let source = trial.source, let truth = record.truth, let top = record.candidates.first,
            let delta = record.truthOffsetDeltas[top.referenceID]
        else { return }
        let answered = top.offsetSeconds - delta
        guard abs(answered - truth.offsetSeconds) > nearSeconds else { return }
        let length = Double(record.queryFrames) / Double(record.querySampleRate) * (1 + truth.timeSkew)
        guard
            let repetition = try RepeatSearch(
                recording: try queries.recordings.recording(source), trueSeconds: truth.offsetSeconds,
                answeredSeconds: answered,
                lengthSeconds: length)
        else { return }
        record.repeatCorrelation = repetition.correlation
        record.repeatOffsetErrorSeconds = repetition.offsetErrorSeconds
    }

    /// Times the contestant alone over `sample`, one query after the other on one thread.
    ///
    /// Queries that were not kept are rendered again, between the timed calls.
    func measureLatency(_ sample: [Trial], store: TrialStore, key: TrialStore.RunKey) throws {
        let known = try store.timedTrials(of: key)
        let records = Dictionary(
            uniqueKeysWithValues: try store.records(of: key).map { ($0.trialID, $0) })
        let wanted = sample.filter { trial in
            guard !known.contains(trial.id), let record = records[trial.id] else { return false }
            return record.isOffered && record.error == nil
        }
        let clock = ContinuousClock()
        var isWarm = false
        for (number, trial) in wanted.enumerated() {
            guard let record = records[trial.id] else { continue }
            let audio: AudioBuffer
            if let kept = spool?.audio(for: trial.id) {
                audio = kept
            } else {
                let query = try queries.query(of: trial)
                audio = try query.audio ?? queries.audio(of: trial, query.facts)
            }
            if !isWarm {
                _ = try identify(audio, record)
                isWarm = true
            }
            // Before and after, for the machine may change its pace meanwhile.
            let before = CalibrationLoop.milliseconds()
            let start = clock.now
            _ = try identify(audio, record)
            let milliseconds = (clock.now - start).seconds * 1000
            let calibration = (before + CalibrationLoop.milliseconds()) / 2
            try store.saveLatency(milliseconds, calibration: calibration, trial: trial.id, of: key)
            progress("latency", number + 1, wanted.count)
        }
    }
}

extension TrialRecord {
    /// Starts the record of a trial that has not been run.
    init(_ trial: Trial) {
        self.init(
            trialID: trial.id, index: trial.index, degradation: trial.cell.degradation,
            severity: trial.cell.severity, severityValue: trial.cell.severityValue,
            lengthSeconds: trial.cell.lengthSeconds, isPositive: trial.isPositive,
            source: trial.source ?? "silence",
            sourceClass: "", truthReferences: [], truthOffsetDeltas: [:], truth: nil, redraws: 0,
            chain: trial.chain.json,
            querySampleRate: 0, queryChannels: 0, queryFrames: 0, queryDigest: "", candidates: [],
            isOffered: true)
        fold = trial.fold
    }
}
