/// A stretch of a recording with a label: a true passage or a found one.
package struct LabelledSpan: Codable, Hashable, Sendable {
    package var label: String
    /// The beginning in seconds.
    package var begin: Double
    /// The end in seconds, never before the beginning.
    package var end: Double
    package var score: Double

    package init(label: String, begin: Double, end: Double, score: Double = 0) {
        precondition(begin <= end, "a span from \(begin) to \(end)")
        self.label = label
        self.begin = begin
        self.end = end
        self.score = score
    }

    package var length: Double { end - begin }

    /// The length of the intersection with another span, of any label.
    package func overlap(_ other: LabelledSpan) -> Double {
        max(0, min(end, other.end) - max(begin, other.begin))
    }

    /// The length of the intersection over that of the union; 0 for two points.
    package func overlapOverUnion(_ other: LabelledSpan) -> Double {
        let common = overlap(other)
        let union = length + other.length - common
        return union > 0 ? common / union : 0
    }
}

extension Sequence<LabelledSpan> {
    /// The spans by label, each group by time.
    func byLabel() -> [String: [LabelledSpan]] {
        Dictionary(grouping: self, by: \.label).mapValues { spans in
            spans.sorted { ($0.begin, $0.end) < ($1.begin, $1.end) }
        }
    }
}

extension [LabelledSpan] {
    /// The disjoint stretches that at least `least` of these spans of one label cover, in order of time.
    ///
    /// Stretches that touch stay apart.
    func stretches(coveredBy least: Int = 1) -> [LabelledSpan] {
        // Ends come first.
        let edges = (map { ($0.begin, 1) } + map { ($0.end, -1) }).sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        var (depth, begin) = (0, 0.0)
        var stretches: [LabelledSpan] = []
        for (time, step) in edges {
            depth += step
            if step > 0, depth == least { begin = time }
            if step < 0, depth == least - 1, begin < time {
                stretches.append(LabelledSpan(label: self[0].label, begin: begin, end: time))
            }
        }
        return stretches
    }

    var totalLength: Double { reduce(0) { $0 + $1.length } }
}
