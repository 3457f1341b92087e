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
            let actual = Self.union(truths[label] ?? [])
            let found = Self.union(founds[label] ?? [])
            let both = Self.length(actual, found)
            let either = Self.union((truths[label] ?? []) + (allowed[label] ?? []))
            all += Self.length(actual)
            common += both
            answered += Self.length(found) - (Self.length(either, found) - both)
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

    private typealias Span = (begin: Double, end: Double)

    /// Disjoint spans in order of time.
    private static func union(_ spans: [LabelledSpan]) -> [Span] {
        var union: [Span] = []
        for span in spans.sorted(by: { $0.begin < $1.begin }) {
            if let last = union.last, span.begin <= last.end {
                union[union.count - 1].end = max(last.end, span.end)
            } else {
                union.append((span.begin, span.end))
            }
        }
        return union
    }

    private static func length(_ spans: [Span]) -> Double { spans.reduce(0) { $0 + $1.end - $1.begin } }

    /// The length of the intersection of two unions.
    private static func length(_ one: [Span], _ other: [Span]) -> Double {
        var (first, second, length) = (0, 0, 0.0)
        while first < one.count, second < other.count {
            length += max(
                0, min(one[first].end, other[second].end) - max(one[first].begin, other[second].begin))
            if one[first].end < other[second].end { first += 1 } else { second += 1 }
        }
        return length
    }
}
