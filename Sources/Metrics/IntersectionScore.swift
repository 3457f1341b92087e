/// True and found passages that cover each other well enough.
///
/// A found passage is relevant if true passages of its label cover at least a share of it, the detection tolerance. A true
/// passage is found if relevant passages cover at least a share of it, the truth intersection. Several found passages may
/// cover one true passage together, so this counts neither fragments nor duplicates.
///
/// Bilen, Ferroni, Tuveri, Azcarreta and Krstulović, "A framework for the robust evaluation of sound event detection",
/// ICASSP 2020. Equal to `sed_scores_eval` of Ebbers, whose rounding to 1 µs it shares.
package struct IntersectionScore: Hashable, Sendable {
    /// True passages that are found.
    package let truePositives: Int
    /// Found passages that are not relevant.
    package let falsePositives: Int
    package let truthCount: Int

    /// - Parameters:
    ///   - detectionTolerance: above 0, at most 1.
    ///   - truthIntersection: above 0, at most 1.
    package init(
        truth: [LabelledSpan], found: [LabelledSpan], detectionTolerance: Double = 0.5,
        truthIntersection: Double = 0.5
    ) {
        let found = found.filter { $0.length > 0 }.byLabel()
        var (hits, falseOnes) = (0, 0)
        let truths = truth.byLabel()
        for (label, found) in found where truths[label] == nil { falseOnes += found.count }
        for (label, truths) in truths {
            let relevant = (found[label] ?? []).filter { one in
                let covered = truths.reduce(0) { $0 + $1.overlap(one) }
                return Self.rounded(covered) >= Self.rounded(detectionTolerance * one.length)
            }
            falseOnes += (found[label]?.count ?? 0) - relevant.count
            hits += truths.count { one in
                let covered = relevant.reduce(0) { $0 + $1.overlap(one) }
                return Self.rounded(covered) >= Self.rounded(truthIntersection * one.length)
            }
        }
        (truePositives, falsePositives, truthCount) = (hits, falseOnes, truth.count)
    }

    /// True positives over them and the false positives; nil without either.
    package var precision: Double? {
        let all = truePositives + falsePositives
        return all > 0 ? Double(truePositives) / Double(all) : nil
    }

    /// The share of true passages that are found; nil without any.
    package var recall: Double? { truthCount > 0 ? Double(truePositives) / Double(truthCount) : nil }

    /// The harmonic mean of precision and recall, 2·TP / (2·TP + FP + FN); nil without passages.
    package var f1: Double? {
        let all = truthCount + truePositives + falsePositives
        return all > 0 ? 2 * Double(truePositives) / Double(all) : nil
    }

    /// To 1 µs, so that equal lengths stay equal.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded(.toNearestOrEven) }
}
