import AudioCore
import Degradations
import Foundation

/// An enrolled contestant and what is needed to try it.
struct Session: Sendable {
    let run: EvaluationRun
    let catalogs: Catalogs
    let cache: RecordingCache
    let spool: QuerySpool?
    /// The trials whose queries the latency pass will want.
    let spooled: Set<String>

    /// Makes the query of `trial`, asks the contestant, and writes down what came.
    func record(_ trial: Trial) throws -> TrialRecord {
        var record = TrialRecord(trial)
        let recording: AudioBuffer?
        let query: RenderedQuery
        do {
            recording = try trial.source.map { try cache.recording($0) }
            try addTruthReferences(to: &record, of: trial)
            query = try trial.render(from: recording, material: run.material)
        } catch let error as DegradationError where error.code == .notOffered {
            record.isOffered = false
            return record
        } catch {
            record.error = "\(error)"
            return record
        }
        record.describe(query)
        if spooled.contains(trial.id) { spool?.keep(query.audio, for: trial.id) }
        do {
            record.candidates = Array(try identify(query.audio, record).prefix(10))
        } catch {
            record.error = "\(error)"
            return record
        }
        if let recording { try searchRepeat(in: recording, of: trial, record: &record) }
        return record
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
        let track = try cache.track(source)
        record.sourceClass = track.classID
        guard trial.isPositive else { return }
        for member in track.classMembers where try cache.track(member.id).isEnrolled {
            record.truthReferences.append(member.id)
            record.truthOffsetDeltas[member.id] = member.offsetSeconds
        }
    }

    /// Where the right recording was named at another place, hears whether both places are alike.
    private func searchRepeat(in recording: AudioBuffer, of trial: Trial, record: inout TrialRecord) throws {
        let nearSeconds = 0.5
        guard let truth = record.truth, let top = record.candidates.first,
            let delta = record.truthOffsetDeltas[top.referenceID]
        else { return }
        let answered = top.offsetSeconds - delta
        guard abs(answered - truth.offsetSeconds) > nearSeconds else { return }
        let length = Double(record.queryFrames) / Double(record.querySampleRate) * (1 + truth.timeSkew)
        guard
            let repetition = try RepeatSearch(
                recording: recording, trueSeconds: truth.offsetSeconds, answeredSeconds: answered,
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
                let recording = try trial.source.map { try cache.recording($0) }
                audio = try trial.render(from: recording, material: run.material).audio
            }
            if !isWarm {
                _ = try identify(audio, record)
                isWarm = true
            }
            let start = clock.now
            _ = try identify(audio, record)
            try store.saveLatency((clock.now - start).seconds * 1000, trial: trial.id, of: key)
            run.progress("latency", number + 1, wanted.count)
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

    /// Adds what rendering found out.
    mutating func describe(_ query: RenderedQuery) {
        truth = isPositive ? query.truth : nil
        sourceStartSeconds = query.clip.timeMap(0)
        sourceEndSeconds = query.clip.timeMap(query.audio.durationSeconds)
        redraws = query.redraws
        snrDecibels = query.clip.measurements["snrDecibels"]
        snrDecibelsTo4kHz = query.clip.measurements["snrDecibelsTo4kHz"]
        querySampleRate = query.audio.sampleRate
        queryChannels = query.audio.channelCount
        queryFrames = query.audio.frameCount
        queryDigest = query.digest
    }
}
