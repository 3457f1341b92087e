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
        let (truths, founds) = (truth.byLabel(), found.byLabel())
        let counts = Set(truths.keys).union(founds.keys).map { label in
            var count = IntersectionCount(
                truth: truths[label] ?? [], detectionTolerance: detectionTolerance,
                truthIntersection: truthIntersection)
            for one in founds[label] ?? [] { count.add(one) }
            return count
        }
        truePositives = counts.reduce(0) { $0 + $1.truePositives }
        falsePositives = counts.reduce(0) { $0 + $1.falsePositives }
        truthCount = truth.count
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
}

/// Counts the intersections of one label while passages are found one after the other.
struct IntersectionCount {
    private let truth: [LabelledSpan]
    private let detectionTolerance: Double
    private let truthIntersection: Double
    /// The seconds of each true passage that relevant passages cover.
    private var covered: [Double]
    /// Neither count ever falls.
    private(set) var falsePositives = 0

    init(truth: [LabelledSpan], detectionTolerance: Double, truthIntersection: Double) {
        self.truth = truth
        self.detectionTolerance = detectionTolerance
        self.truthIntersection = truthIntersection
        covered = Array(repeating: 0, count: truth.count)
    }

    var truePositives: Int {
        zip(truth, covered).count {
            Self.rounded($1) >= Self.rounded(truthIntersection * $0.length)
        }
    }

    /// Adds a passage of the label; one without length is none.
    mutating func add(_ one: LabelledSpan) {
        guard one.length > 0 else { return }
        let common = truth.map { $0.overlap(one) }
        guard Self.rounded(common.reduce(0, +)) >= Self.rounded(detectionTolerance * one.length) else {
            falsePositives += 1
            return
        }
        for place in covered.indices { covered[place] += common[place] }
    }

    /// To 1 µs, so that equal lengths stay equal.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded(.toNearestOrEven) }
}
