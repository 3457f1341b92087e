/// The share of true passages that are found, averaged over rates of false passages: the area over all thresholds.
///
/// A curve shows the share of true passages that are found at a threshold, over the false passages an hour of the recording.
/// The area below it ends at a rate, which scales it to 0…1. ``IntersectionScore`` says what is found and what is false.
package struct PassageArea: Hashable, Sendable {
    /// In 0…1; nil without true passages.
    package let value: Double?

    /// What one curve shows.
    package enum Curve: Sendable, CaseIterable {
        /// The passages of all labels: a false one costs the same whatever its label.
        case pooled
        /// Those of one label with a true passage; the value is the mean over these labels. A false passage of a label without a
        /// true one costs nothing, and each label may have ``mostFalsePerHour``.
        ///
        /// This is the polyphonic sound detection score (PSDS) of Bilen and others, ICASSP 2020, without penalties for cross
        /// triggers and for instability (`alpha_ct` and `alpha_st` of 0). Equal to `sed_scores_eval` of Ebbers.
        case perLabel

        /// The false passages an hour at which a curve ends.
        package var mostFalsePerHour: Double {
            switch self {
            case .pooled: 10
            case .perLabel: 1
            }
        }
    }

    /// - Parameters:
    ///   - found: passages with scores; those of equal score pass a threshold together.
    ///   - seconds: the length of the recording, above 0.
    ///   - mostFalsePerHour: nil for that of the curve.
    package init(
        _ curve: Curve, truth: [LabelledSpan], found: [LabelledSpan], seconds: Double,
        detectionTolerance: Double = 0.5, truthIntersection: Double = 0.5, mostFalsePerHour: Double? = nil
    ) {
        let most = mostFalsePerHour ?? curve.mostFalsePerHour
        let truths = truth.byLabel()
        func area(_ labels: some Sequence<String>, _ found: [LabelledSpan]) -> Double {
            var counts = Dictionary(
                uniqueKeysWithValues: labels.map { label in
                    let count = IntersectionCount(
                        truth: truths[label] ?? [], detectionTolerance: detectionTolerance,
                        truthIntersection: truthIntersection)
                    return (label, count)
                })
            let all = counts.keys.reduce(0) { $0 + (truths[$1]?.count ?? 0) }
            var (area, rate, share, right, wrong) = (0.0, 0.0, 0.0, 0, 0)
            for level in Dictionary(grouping: found, by: \.score).sorted(by: { $0.key > $1.key }) {
                for one in level.value {
                    guard var count = counts.removeValue(forKey: one.label) else { continue }
                    (right, wrong) = (right - count.truePositives, wrong - count.falsePositives)
                    count.add(one)
                    (right, wrong) = (right + count.truePositives, wrong + count.falsePositives)
                    counts[one.label] = count
                }
                let next = Double(wrong) / seconds * 3600
                guard next <= most else { break }
                area += share * (next - rate)
                (rate, share) = (next, Double(right) / Double(all))
            }
            return (area + share * (most - rate)) / most
        }
        let founds = Dictionary(grouping: found, by: \.label)
        guard !truth.isEmpty else {
            value = nil
            return
        }
        switch curve {
        case .pooled: value = area(Set(truths.keys).union(founds.keys), found)
        case .perLabel:
            let areas = truths.keys.sorted().map { area([$0], founds[$0] ?? []) }
            value = areas.reduce(0, +) / Double(areas.count)
        }
    }
}
