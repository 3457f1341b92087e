import AudioCore
import Foundation
import Matchers

/// Repeats trials with the same contestant, to show what happened.
struct TrialExplainer: Sendable {
    let enrolment: Enrolment
    let queries: QuerySource

    /// Makes the query of a trial again and explains the answers to it.
    ///
    /// An error of the trial becomes a remark: the rest of a report is still useful.
    ///
    /// - Parameter record: The stored record of the trial.
    func detail(of trial: Trial, record: TrialRecord) throws -> TrialDetail {
        var detail = TrialDetail(trialID: trial.id)
        detail.expected = expectedPlace(of: record).map(TrialDetail.Passage.init)
        if let best = record.candidates.first, !isExpected(best, of: record) {
            detail.chosen = ReferencePlace(best).map(TrialDetail.Passage.init)
            if detail.chosen == nil { detail.remarks.append("The best candidate states no position.") }
        }
        do {
            let query = try queries.query(of: trial)
            let audio = try query.audio ?? queries.audio(of: trial, query.facts)
            if query.facts.digest != record.query?.digest {
                detail.remarks.append(
                    "The repeated query has other samples than the original one: corpus or libraries "
                        + "have changed since.")
            }
            detail.query = try EncodedSound.sound(of: audio)
            explain(audio, record, in: &detail)
            try add(\.expected, seconds: audio.durationSeconds, to: &detail)
            try add(\.chosen, seconds: audio.durationSeconds, to: &detail)
        } catch let error as TrialError {
            detail.remarks.append("The trial could not be repeated in full: \(error)")
        }
        return detail
    }

    /// Every error of an explanation is a remark, because no outcome depends on it.
    private func explain(_ audio: AudioBuffer, _ record: TrialRecord, in detail: inout TrialDetail) {
        let matcher = enrolment.matcher(leavingOut: record.trial.fold)
        guard let explain = matcher.powers.explain else {
            detail.remarks.append(
                "The matcher \(matcher.name) does not explain its answers: there are no peaks, parts of scores or "
                    + "votes to show.")
            return
        }
        let explanation: MatchExplanation
        do {
            explanation = try explain(
                Query(name: "explained", audio: audio),
                [detail.expected, detail.chosen].compactMap { $0?.place }
            ).explaining(record.candidates + (record.related ?? []))
        } catch {
            detail.remarks.append("The explanation failed: \(error)")
            return
        }
        func alignment(_ place: ReferencePlace?) -> Int? {
            explanation.alignments.firstIndex { $0.place == place }
        }
        let (expected, chosen) = (alignment(detail.expected?.place), alignment(detail.chosen?.place))
        detail.expected?.alignment = expected
        detail.chosen?.alignment = chosen
        detail.explanation = explanation
    }

    private func add(
        _ path: WritableKeyPath<TrialDetail, TrialDetail.Passage?>, seconds: Double,
        to detail: inout TrialDetail
    ) throws {
        guard let place = detail[keyPath: path]?.place else { return }
        let recording = try queries.recordings.recording(place.referenceID)
        let rate = Double(recording.sampleRate)
        let from = min(max(0, Int(bounded: (place.offsetSeconds * rate).rounded())), recording.frameCount)
        let end = place.offsetSeconds + seconds * (1 + place.timeSkew)
        let to = min(max(from, Int(bounded: (end * rate).rounded())), recording.frameCount)
        guard from < to else { return }
        detail[keyPath: path]?.startSeconds = Double(from) / rate
        detail[keyPath: path]?.sound = try EncodedSound.sound(of: recording.frames(from..<to))
    }

    /// The query's place in the best-ranked right reference, else in the first one.
    private func expectedPlace(of record: TrialRecord) -> ReferencePlace? {
        guard let truth = record.truth, let offset = truth.offsetSeconds else { return nil }
        let named = record.candidates.map(\.referenceID) + record.truthReferences
        for reference in named {
            guard let delta = record.truthOffsetDeltas[reference] else { continue }
            return ReferencePlace(
                referenceID: reference, offsetSeconds: offset + delta,
                frequencySkew: truth.frequencySkew ?? 0, timeSkew: truth.timeSkew ?? 0)
        }
        return nil
    }

    private func isExpected(_ candidate: Candidate, of record: TrialRecord) -> Bool {
        guard let expected = expectedPlace(of: record), let answered = candidate.offsetSeconds else {
            return false
        }
        return candidate.referenceID == expected.referenceID
            && abs(answered - expected.offsetSeconds) <= JudgedTrial.placeToleranceSeconds
    }
}

extension MatchExplanation {
    /// The explanation with earlier answers to the query as its first candidates; those that are related are none.
    ///
    /// - Throws: ``TrialError`` when it explains other answers.
    package func explaining(_ answers: [Candidate]) throws -> MatchExplanation {
        var explanation = self
        explanation.candidates.removeAll { explained in
            answers.contains { $0.isRelated && explained.candidate.isSame(as: $0) }
        }
        let candidates = explanation.candidates
        for (rank, answer) in answers.filter({ !$0.isRelated }).enumerated() {
            guard candidates.indices.contains(rank) else {
                explanation.candidates.append(
                    ExplainedCandidate(answer, parts: [], matchedPeaks: nil, comparedPeaks: nil))
                continue
            }
            let explained = candidates[rank].candidate
            guard explained.isSame(as: answer) else {
                throw TrialError(
                    .matcher, "candidate \(rank + 1) is \(explained.words); the answer was \(answer.words)"
                )
            }
            explanation.candidates[rank].candidate = answer
        }
        return explanation
    }
}

extension Candidate {
    /// Whether reference, place and score are the same but for rounding.
    fileprivate func isSame(as other: Candidate) -> Bool {
        referenceID == other.referenceID && (offsetSeconds == nil) == (other.offsetSeconds == nil)
            && abs((offsetSeconds ?? 0) - (other.offsetSeconds ?? 0)) <= 1e-3
            && abs(score - other.score) <= 1e-6 * max(1, abs(score), abs(other.score))
    }

    fileprivate var words: String {
        referenceID + (offsetSeconds.map { " at \($0) s" } ?? "") + " with score \(score)"
    }
}
