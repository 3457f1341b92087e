import Evaluation
import Foundation
import Matchers

/// A trial shown in full, as the page's script reads it: sounds, peaks, votes and reasons.
///
/// Times are in milliseconds and frequencies in hertz, both whole; scores and offsets are as the matcher gave them.
struct TrialDetailData: Encodable {
    /// A sound with what is drawn over its spectrogram.
    struct Sound: Encodable {
        /// `query`, `expected` or `chosen`.
        let role: String
        let reference: String?
        /// The reference time of its first sample, in seconds.
        let startSeconds: Double
        let seconds: Double
        let wholeSeconds: Double
        /// An Ogg file, in base 64.
        let audio: String?
        /// Where the query's first sample lies, in seconds of the reference.
        let offsetSeconds: Double
        let timeSkew: Double
        let peaks: Peaks
        /// The places of peaks that agree: query and reference in turn.
        let pairs: [Int]
        let votes: PeakAlignment.OffsetVotes?
    }

    /// Peaks by time, counted from the first sample of the query or the beginning of the reference.
    struct Peaks: Encodable {
        let times: [Int]
        let frequencies: [Int]

        init(_ points: [SpectralPoint]) {
            times = points.map { Int(($0.seconds * 1000).rounded()) }
            frequencies = points.map { Int($0.hertz.rounded()) }
        }
    }

    /// A rung of the ladder.
    struct Rung: Encodable {
        let reference: String
        let offsetSeconds: Double
        let frequencySkew: Double?
        let timeSkew: Double?
        let score: Double
        let confidence: Double?
        let isAccepted: Bool
        let isRight: Bool
        let matched: Int?
        let compared: Int?
        /// What each of the ladder's parts adds to the score.
        let parts: [Double]
    }

    let id: String
    /// What happened, a sentence each.
    let words: [String]
    let remarks: [String]
    let sounds: [Sound]
    let ladder: [Rung]
    let partNames: [String]
    let threshold: Double?

    init(_ detail: TrialDetail, of trial: JudgedTrial) {
        id = detail.trialID
        remarks = detail.remarks
        threshold = detail.explanation?.threshold
        let query = detail.query.map { sound in
            Sound(
                role: "query", reference: nil, startSeconds: 0, seconds: sound.seconds,
                wholeSeconds: sound.wholeSeconds, audio: sound.data.base64EncodedString(), offsetSeconds: 0,
                timeSkew: 0, peaks: Peaks(detail.explanation?.queryPeaks ?? []), pairs: [], votes: nil)
        }
        let expected = detail.expected.map { Self.sound($0, "expected", detail.explanation) }
        let chosen = detail.chosen.map { Self.sound($0, "chosen", detail.explanation) }
        sounds = [query, expected, chosen].compactMap(\.self)
        let truths = Set(trial.record.truthReferences)
        let candidates =
            detail.explanation?.candidates
            ?? trial.record.candidates.map {
                ExplainedCandidate($0, parts: [], matchedPeaks: nil, comparedPeaks: nil)
            }
        ladder = candidates.map { Self.rung($0, isRight: truths.contains($0.candidate.referenceID)) }
        partNames = candidates.first?.parts.map(\.name) ?? []
        words = AlignmentText.sentences(detail)
    }

    private static func sound(
        _ passage: TrialDetail.Passage, _ role: String, _ explanation: MatchExplanation?
    ) -> Sound {
        let alignment = passage.alignment.flatMap { place in
            explanation.flatMap { $0.alignments.indices.contains(place) ? $0.alignments[place] : nil }
        }
        return Sound(
            role: role, reference: passage.place.referenceID, startSeconds: passage.startSeconds,
            seconds: passage.sound?.seconds ?? 0, wholeSeconds: passage.sound?.wholeSeconds ?? 0,
            audio: passage.sound?.data.base64EncodedString(), offsetSeconds: passage.place.offsetSeconds,
            timeSkew: passage.place.timeSkew, peaks: Peaks(alignment?.referencePeaks ?? []),
            pairs: alignment?.pairs.flatMap { [$0.query, $0.reference] } ?? [], votes: alignment?.votes)
    }

    private static func rung(_ explained: ExplainedCandidate, isRight: Bool) -> Rung {
        let candidate = explained.candidate
        func short(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
        return Rung(
            reference: candidate.referenceID, offsetSeconds: short(candidate.offsetSeconds, 1e4),
            frequencySkew: candidate.frequencySkew.map { short($0, 1e7) },
            timeSkew: candidate.timeSkew.map { short($0, 1e7) }, score: short(candidate.score, 1e3),
            confidence: candidate.confidence.map { short($0, 1e6) }, isAccepted: candidate.isAccepted,
            isRight: isRight, matched: explained.matchedPeaks, compared: explained.comparedPeaks,
            parts: explained.parts.map { short($0.amount, 1e3) })
    }
}
