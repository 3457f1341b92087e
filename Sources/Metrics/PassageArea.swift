/// The share of true passages that are found, averaged over rates of false passages: the area over all thresholds.
///
/// Each label has a curve: the share of its true passages that are found at a threshold, over the false passages an hour of
/// that label. The area below it ends at ``mostFalsePerHour``, which scales it to 0…1. The value is the mean over labels with
/// a true passage. ``IntersectionScore`` says what is found and what is false.
///
/// This is the polyphonic sound detection score (PSDS) of Bilen and others, ICASSP 2020, without penalties for cross triggers
/// and for instability (`alpha_ct` and `alpha_st` of 0). Equal to `sed_scores_eval` of Ebbers.
package struct PassageArea: Hashable, Sendable {
    /// In 0…1; nil without true passages.
    package let value: Double?

    /// False passages an hour of each label, at which curves end.
    package static let mostFalsePerHour = 1.0

    /// - Parameters:
    ///   - found: passages with scores; those of equal score pass a threshold together.
    ///   - seconds: the length of the recording, above 0.
    package init(
        truth: [LabelledSpan], found: [LabelledSpan], seconds: Double, detectionTolerance: Double = 0.5,
        truthIntersection: Double = 0.5, mostFalsePerHour: Double = Self.mostFalsePerHour
    ) {
        let founds = Dictionary(grouping: found, by: \.label)
        let areas = truth.byLabel().sorted { $0.key < $1.key }.map { label, truth -> Double in
            var count = IntersectionCount(
                truth: truth, detectionTolerance: detectionTolerance, truthIntersection: truthIntersection)
            var (area, rate, share) = (0.0, 0.0, 0.0)
            let levels = Dictionary(grouping: founds[label] ?? [], by: \.score).sorted { $0.key > $1.key }
            for level in levels {
                for one in level.value { count.add(one) }
                let next = Double(count.falsePositives) / seconds * 3600
                guard next <= mostFalsePerHour else { break }
                area += share * (next - rate)
                (rate, share) = (next, Double(count.truePositives) / Double(truth.count))
            }
            return (area + share * (mostFalsePerHour - rate)) / mostFalsePerHour
        }
        value = areas.isEmpty ? nil : areas.reduce(0, +) / Double(areas.count)
    }
}
