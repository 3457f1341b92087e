// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation
import Matchers

/// A trial shown in full, as the page's script reads it: sounds, peaks, votes and reasons.
///
/// Times are in milliseconds and frequencies in hertz, both whole; scores and offsets are as the matcher gave them.
struct TrialDetailData: Encodable {
    /// A sound with what is drawn over its spectrogram.
    struct Sound: Encodable {
        let role: String
        let reference: String?
        /// The reference time of its first sample, in seconds.
        let startSeconds: Double
        let seconds: Double
        let wholeSeconds: Double
        /// An Ogg file, in base 64.
        let audio: String?
        /// The reference time of the query's first sample, in seconds.
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
    /// Sentences about the alignment.
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

/// The agreement of the query's peaks with the expected and the answered place, in words.
enum AlignmentText {
    /// A sentence for each place; none without an explanation by the matcher.
    static func sentences(_ detail: TrialDetail) -> [String] {
        guard let explanation = detail.explanation else { return [] }
        func alignment(_ passage: TrialDetail.Passage?) -> PeakAlignment? {
            passage?.alignment.flatMap {
                explanation.alignments.indices.contains($0) ? explanation.alignments[$0] : nil
            }
        }
        let peaks = explanation.queryPeaks.count
        return [
            alignment(detail.expected).map { sentence($0, at: "at the true place", of: peaks) },
            alignment(detail.chosen).map {
                sentence($0, at: "at the place of the best candidate", of: peaks)
            },
        ].compactMap(\.self)
    }

    private static func sentence(_ alignment: PeakAlignment, at place: String, of peaks: Int) -> String {
        let agreeing = Set(alignment.pairs.map(\.query)).count
        let counted =
            "\(NumberText.count(agreeing)) of the query’s \(NumberText.count(peaks)) peaks agree \(place)"
        let votes = alignment.votes
        guard let best = votes.near(0), let usual = votes.usual, let most = votes.mostElsewhere else {
            return counted + "."
        }
        let reach = NumberText.significant(votes.reachSeconds, digits: 1)
        let histogram =
            "that offset has \(best) votes; others within \(reach)\(NumberText.blank)s have "
            + "\(NumberText.significant(usual)) on average and \(most) at most"
        return counted
            + (best <= most
                ? ". This alone does not exceed chance: \(histogram)." : ": \(histogram).")
    }
}

extension PeakAlignment.OffsetVotes {
    /// Offsets within this distance, in seconds, are one place.
    private static let sameSeconds = 0.25

    private func middle(_ bin: Int) -> Double { firstSeconds + Double(bin) * binSeconds }

    /// The most votes of a bin near an offset, in seconds from that of the place.
    func near(_ seconds: Double) -> Int? {
        counts.indices.filter { abs(middle($0) - seconds) <= 1.5 * binSeconds }.map { counts[$0] }.max()
    }

    /// The largest distance from the offset of the place, in seconds.
    var reachSeconds: Double { Double(counts.count) * binSeconds / 2 }

    private var elsewhere: [Int] {
        counts.indices.filter { abs(middle($0)) > Self.sameSeconds }.map { counts[$0] }
    }

    /// The mean votes of bins that are another place.
    var usual: Double? {
        elsewhere.isEmpty ? nil : Double(elsewhere.reduce(0, +)) / Double(elsewhere.count)
    }

    /// The most votes of a bin that is another place.
    var mostElsewhere: Int? { elsewhere.max() }
}
