import Evaluation
import Matchers

/// What the peaks of a query say about the places it was laid on, in words.
enum AlignmentText {
    /// A sentence for each place; none where the matcher does not explain itself.
    static func sentences(_ detail: TrialDetail) -> [String] {
        guard let explanation = detail.explanation else { return [] }
        func alignment(_ passage: TrialDetail.Passage?) -> PeakAlignment? {
            passage?.alignment.flatMap {
                explanation.alignments.indices.contains($0) ? explanation.alignments[$0] : nil
            }
        }
        let peaks = explanation.queryPeaks.count
        return [
            alignment(detail.expected).map { sentence($0, at: "where the query really lies", of: peaks) },
            alignment(detail.chosen).map { sentence($0, at: "where the best candidate puts it", of: peaks) },
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
                ? ", too few to tell from chance by themselves: \(histogram)." : ": \(histogram).")
    }
}

extension PeakAlignment.OffsetVotes {
    /// Offsets this near to each other, in seconds, are one place.
    private static let sameSeconds = 0.25

    private func middle(_ bin: Int) -> Double { firstSeconds + Double(bin) * binSeconds }

    /// The most votes of a bin that touches an offset, in seconds beyond that of the place.
    func near(_ seconds: Double) -> Int? {
        counts.indices.filter { abs(middle($0) - seconds) <= 1.5 * binSeconds }.map { counts[$0] }.max()
    }

    /// How far from the offset of the place votes are counted, in seconds.
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
