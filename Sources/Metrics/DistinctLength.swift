/// The length of the union of cuts of recordings.
package enum DistinctLength {
    /// The length of the union of `cuts`, in the unit of their ends; cuts of different recordings never overlap.
    package static func of(_ cuts: some Sequence<(recording: String, span: Interval)>) -> Double {
        var total = 0.0
        var previous: (recording: String, end: Double)?
        let sorted = cuts.sorted {
            ($0.recording, $0.span.lower, $0.span.upper) < ($1.recording, $1.span.lower, $1.span.upper)
        }
        for (recording, span) in sorted {
            let covered = previous.flatMap { $0.recording == recording ? $0.end : nil } ?? -.infinity
            total += max(0, span.upper - max(span.lower, covered))
            previous = (recording, max(covered, span.upper))
        }
        return total
    }
}
