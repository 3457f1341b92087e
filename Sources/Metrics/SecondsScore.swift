/// The seconds that true and found passages of one label have in common.
///
/// Seconds are counted once for each label, however many passages cover them.
package struct SecondsScore: Hashable, Sendable {
    package let trueSeconds: Double
    /// Without seconds that are allowed and not required.
    package let foundSeconds: Double
    package let commonSeconds: Double

    /// - Parameter permitted: passages that may be found and need not be; they count only where they are no truth.
    package init(truth: [LabelledSpan], found: [LabelledSpan], permitted: [LabelledSpan] = []) {
        let (truths, founds, allowed) = (truth.byLabel(), found.byLabel(), permitted.byLabel())
        var (all, answered, common) = (0.0, 0.0, 0.0)
        for label in Set(truths.keys).union(founds.keys).sorted() {
            let actual = (truths[label] ?? []).stretches()
            let found = (founds[label] ?? []).stretches()
            let both = Self.common(actual, found)
            let either = ((truths[label] ?? []) + (allowed[label] ?? [])).stretches()
            all += actual.totalLength
            common += both
            answered += found.totalLength - (Self.common(either, found) - both)
        }
        (trueSeconds, foundSeconds, commonSeconds) = (all, answered, common)
    }

    /// The share of found seconds that are true; nil without any.
    package var precision: Double? { foundSeconds > 0 ? commonSeconds / foundSeconds : nil }
    /// The share of true seconds that are found; nil without any.
    package var recall: Double? { trueSeconds > 0 ? commonSeconds / trueSeconds : nil }
    /// The harmonic mean of both; nil without seconds.
    package var f1: Double? {
        trueSeconds + foundSeconds > 0 ? 2 * commonSeconds / (trueSeconds + foundSeconds) : nil
    }

    /// The length of the intersection of disjoint spans with others.
    private static func common(_ one: [LabelledSpan], _ other: [LabelledSpan]) -> Double {
        var (first, second, length) = (0, 0, 0.0)
        while first < one.count, second < other.count {
            length += max(
                0, min(one[first].end, other[second].end) - max(one[first].begin, other[second].begin))
            if one[first].end < other[second].end { first += 1 } else { second += 1 }
        }
        return length
    }
}
