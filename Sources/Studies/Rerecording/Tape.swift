import AudioCore
import Evaluation

/// All queries of a session on one time line.
///
/// Pauses between them have random lengths, so that any few queries in a row tell their place.
struct Tape: Sendable {
    /// The silence before the first query, in frames.
    static let leadFrames = PlayedQuery.sampleRate

    /// The silence after a query, in frames.
    static func pauseFrames(after trial: Trial, seed: UInt64) -> Int {
        var generator = SeededGenerator(seed: seed, trial.id, "pause")
        return Int(bounded: generator.uniform(in: 0.5...1.5) * Double(PlayedQuery.sampleRate))
    }

    let queries: [PlayedQuery]
    /// The second at which each sweep begins; those of query n are numbers 2n and 2n + 1.
    private let marks: [Double]

    /// - Parameter starts: the second at which each query's first sweep begins.
    init(_ queries: [PlayedQuery], starts: [Double]) {
        self.queries = queries
        marks = zip(queries, starts).flatMap { query, start in [start, start + query.secondSweep] }
    }

    /// The queries whose two sweeps are among those heard at `times`, in seconds, sorted.
    ///
    /// The recording may begin and end anywhere, and may lack parts or repeat them. A run of sweeps is recognised by at
    /// least two pauses, or by all that the tape has.
    func passages(in times: [Double]) -> [PlayedPassage] {
        var heard = times
        var found: [Int: PlayedPassage] = [:]
        while let run = bestRun(in: heard) {
            for index in queries.indices where found[index] == nil {
                guard let first = run[2 * index], let second = run[2 * index + 1] else { continue }
                found[index] = PlayedPassage(query: queries[index], first: first, second: second)
            }
            let used = Set(run.values)
            heard.removeAll { used.contains($0) }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The number of marks that recognise a run: three queries.
    private static let leastMarks = 6
    /// The number that no other place of the tape can have by chance.
    private static let certainMarks = 12

    /// The best run of marks: the seconds of each in the recording, by number.
    private func bestRun(in heard: [Double]) -> [Int: Double]? {
        let least = min(Self.leastMarks, marks.count)
        var best: (mark: Int, seconds: Double, count: Int)?
        search: for seconds in heard {
            for mark in stride(from: 0, to: marks.count, by: 2) {
                let end = min(marks.count, mark + Self.certainMarks)
                // Nearly every place fails at the first step.
                guard follow(mark..<min(end, mark + 2), from: seconds, in: heard).count == 2 else { continue }
                let count = follow(mark..<end, from: seconds, in: heard).count
                if count >= least, count > best?.count ?? 0 { best = (mark, seconds, count) }
                if count == Self.certainMarks { break search }
            }
        }
        guard let best else { return nil }
        let after = follow(best.mark..<marks.count, from: best.seconds, in: heard)
        let before = follow((0...best.mark).reversed(), from: best.seconds, in: heard)
        return after.merging(before) { first, _ in first }
    }

    /// Finds marks one after the other, the first at `seconds`, each from the one found before.
    private func follow(
        _ numbers: some Collection<Int>, from seconds: Double, in heard: [Double]
    ) -> [Int: Double] {
        guard let first = numbers.first else { return [:] }
        var found = [first: seconds]
        var last = (mark: marks[first], heard: seconds)
        for number in numbers.dropFirst() {
            let step = marks[number] - last.mark
            guard abs(step) < Self.longestStep else { break }
            let reach = PlayedPassage.tolerance + PlayedPassage.greatestSkew * abs(step)
            guard let time = Self.nearest(to: last.heard + step, in: heard, within: reach)
            else { continue }
            found[number] = time
            last = (marks[number], time)
        }
        return found
    }

    /// After this many seconds without a sweep, a run ends.
    private static let longestStep = 600.0

    private static func nearest(to time: Double, in times: [Double], within reach: Double) -> Double? {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        let near = times[max(0, low - 1)..<min(times.count, low + 1)].min { abs($0 - time) < abs($1 - time) }
        return near.flatMap { abs($0 - time) <= reach ? $0 : nil }
    }
}
