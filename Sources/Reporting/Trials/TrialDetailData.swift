// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Evaluation
import Foundation
import Matchers

/// A trial shown in full, as the page's script reads it: sounds, peaks, votes and reasons.
///
/// Times are in milliseconds and frequencies in hertz, both whole; scores and offsets are as the matcher gave them.
enum TrialDetailData {
    static func object(_ detail: TrialDetail, of trial: JudgedTrial) -> JSONObject {
        let truths = Set(trial.record.truthReferences)
        let candidates =
            detail.explanation?.candidates
            ?? trial.record.candidates.map {
                ExplainedCandidate($0, parts: [], matchedPeaks: nil, comparedPeaks: nil)
            }
        let sounds = [
            detail.query.map { query($0, detail.explanation) },
            detail.expected.map { sound($0, "expected", detail.explanation) },
            detail.chosen.map { sound($0, "chosen", detail.explanation) },
        ]
        return [
            "id": detail.trialID,
            "words": AlignmentText.sentences(detail) + lack(detail, of: trial),
            "remarks": detail.remarks,
            "sounds": sounds.compactMap(\.self),
            "ladder": candidates.map { rung($0, isRight: truths.contains($0.candidate.referenceID)) },
            "partNames": candidates.first?.parts.map(\.name) ?? [],
            "threshold": detail.explanation?.threshold,
        ]
    }

    /// In which part of the score a right reference lacks most, in words; empty where nothing says so.
    private static func lack(_ detail: TrialDetail, of trial: JudgedTrial) -> [String] {
        guard trial.lossCause != nil,
            let part = detail.explanation?.lackingPart(of: trial.record.truthReferences)
        else { return [] }
        return ["Against the candidate that scored higher, the right reference lacks most in “\(part)”."]
    }

    private static func query(_ sound: TrialDetail.Sound, _ explanation: MatchExplanation?) -> JSONObject {
        [
            "role": "query",
            "startSeconds": 0.0,
            "seconds": sound.seconds,
            "wholeSeconds": sound.wholeSeconds,
            "audio": sound.data.base64EncodedString(),
            "offsetSeconds": 0.0,
            "timeSkew": 0.0,
            "peaks": peaks(explanation?.queryPeaks),
            "pairs": [Int](),
        ]
    }

    /// A passage of a reference, with what is drawn over its spectrogram.
    ///
    /// `startSeconds` is the reference time of its first sample, `offsetSeconds` that of the query's. `audio` is an Ogg
    /// file in base 64. `pairs` are the places of peaks that agree: query and reference in turn.
    private static func sound(
        _ passage: TrialDetail.Passage, _ role: String, _ explanation: MatchExplanation?
    ) -> JSONObject {
        let alignment = explanation?.alignment(of: passage)
        return [
            "role": role,
            "reference": passage.place.referenceID,
            "startSeconds": passage.startSeconds,
            "seconds": passage.sound?.seconds ?? 0,
            "wholeSeconds": passage.sound?.wholeSeconds ?? 0,
            "audio": passage.sound?.data.base64EncodedString(),
            "offsetSeconds": passage.place.offsetSeconds,
            "timeSkew": passage.place.timeSkew,
            "peaks": peaks(alignment?.referencePeaks),
            "pairs": alignment?.pairs.flatMap { [$0.query, $0.reference] } ?? [],
            "votes": alignment?.votes,
        ]
    }

    /// Peaks by time, counted from the first sample of the query or the beginning of the reference.
    ///
    /// A frequency may be null.
    private static func peaks(_ points: [SpectralPoint]?) -> JSONObject {
        [
            "times": (points ?? []).map { Int(bounded: ($0.seconds * 1000).rounded()) },
            "frequencies": (points ?? []).map { $0.hertz.map { Int(bounded: $0.rounded()) } },
        ]
    }

    /// A candidate; `parts` are what each of the ladder's parts adds to the score.
    private static func rung(_ explained: ExplainedCandidate, isRight: Bool) -> JSONObject {
        let candidate = explained.candidate
        func short(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
        return [
            "reference": candidate.referenceID,
            "offsetSeconds": candidate.offsetSeconds.map { short($0, 1e4) },
            "frequencySkew": candidate.frequencySkew.map { short($0, 1e7) },
            "timeSkew": candidate.timeSkew.map { short($0, 1e7) },
            "score": short(candidate.score, 1e3),
            "confidence": candidate.confidence.map { short($0, 1e6) },
            "isAccepted": candidate.isAccepted,
            "isRight": isRight,
            "matched": explained.matchedPeaks,
            "compared": explained.comparedPeaks,
            "parts": explained.parts.map { short($0.amount, 1e3) },
        ]
    }
}

extension MatchExplanation {
    fileprivate func alignment(of passage: TrialDetail.Passage) -> PeakAlignment? {
        passage.alignment.flatMap { alignments.indices.contains($0) ? alignments[$0] : nil }
    }
}

/// The agreement of the query's peaks with the expected and the answered place, in words.
enum AlignmentText {
    /// A sentence for each place; none without an explanation by the matcher.
    static func sentences(_ detail: TrialDetail) -> [String] {
        guard let explanation = detail.explanation else { return [] }
        let peaks = explanation.queryPeaks.count
        let places = [
            (detail.expected, "at the true place"), (detail.chosen, "at the place of the best candidate"),
        ]
        return places.compactMap { passage, place in
            passage.flatMap(explanation.alignment).flatMap { sentence($0, at: place, of: peaks) }
        }
    }

    /// Nil where neither peaks of both nor votes are stated.
    private static func sentence(_ alignment: PeakAlignment, at place: String, of peaks: Int) -> String? {
        let agreeing = Set(alignment.pairs.map(\.query)).count
        let counted =
            peaks == 0 || alignment.referencePeaks.isEmpty
            ? nil : "\(agreeing.text) of the query’s \(peaks.text) peaks agree \(place)"
        let votes = alignment.votes
        guard let best = votes.near(0), let usual = votes.usual, let most = votes.mostElsewhere else {
            return counted.map { $0 + "." }
        }
        let reach = NumberText.significant(votes.reachSeconds, digits: 1)
        let histogram =
            "\(best) votes; others within \(reach)\(NumberText.blank)s have "
            + "\(NumberText.significant(usual)) on average and \(most) at most."
        let isChance = best <= most
        guard let counted else {
            return "The offset \(place) has \(histogram)" + (isChance ? " This does not exceed chance." : "")
        }
        return counted
            + (isChance ? ". This alone does not exceed chance: " : ": ") + "that offset has \(histogram)"
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
