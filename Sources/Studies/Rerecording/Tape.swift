import AudioCore
import Evaluation
import SignalProcessing

/// All queries of a session on one time line.
///
/// Pauses between them have random lengths, so that any few queries in a row tell their place.
struct Tape: Sendable {
    struct Mark: Sendable {
        let sweep: Sweep
        /// Of the sweep's first sample.
        let seconds: Double
    }

    /// The silence before the first query, in frames.
    static let leadFrames = PlayedQuery.sampleRate

    /// The silence after a query, in frames.
    static func pauseFrames(after trial: Trial, seed: UInt64) -> Int {
        var generator = SeededGenerator(seed: seed, trial.id, "pause")
        return Int(generator.uniform(in: 0.5...1.5) * Double(PlayedQuery.sampleRate))
    }

    let queries: [PlayedQuery]
    /// The sweeps of query n are marks 2n and 2n + 1.
    let marks: [Mark]

    /// - Parameter starts: the second at which each query's rising sweep begins.
    init(_ queries: [PlayedQuery], starts: [Double]) {
        self.queries = queries
        marks = zip(queries, starts).flatMap { query, start in
            [
                Mark(sweep: .rising, seconds: start),
                Mark(sweep: .falling, seconds: start + query.fallingStart),
            ]
        }
    }

    /// The queries whose two sweeps are among `sightings`, whose places are in seconds, sorted.
    ///
    /// The recording may begin and end anywhere, and may lack parts or repeat them. A run of sweeps is recognised by at
    /// least two pauses, or by all that the tape has.
    func passages(in sightings: [(sweep: Sweep, seconds: Double)]) -> [PlayedPassage] {
        var heard = HeardSweeps(sightings)
        var found: [Int: PlayedPassage] = [:]
        while let run = bestRun(in: heard) {
            for index in queries.indices where found[index] == nil {
                guard let rising = run[2 * index], let falling = run[2 * index + 1] else { continue }
                found[index] = PlayedPassage(query: queries[index], rising: rising, falling: falling)
            }
            heard.remove(run.values)
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The number of marks that recognise a run: three queries.
    private static let leastMarks = 6
    /// The number that no other place of the tape can have by chance.
    private static let certainMarks = 12

    /// The best run of marks: the seconds of each in the recording, by number.
    private func bestRun(in heard: HeardSweeps) -> [Int: Double]? {
        let least = min(Self.leastMarks, marks.count)
        var best: (mark: Int, seconds: Double, count: Int)?
        search: for seconds in heard.times(of: .rising) {
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
        _ numbers: some Collection<Int>, from seconds: Double, in heard: HeardSweeps
    ) -> [Int: Double] {
        guard let first = numbers.first else { return [:] }
        var found = [first: seconds]
        var last = (mark: marks[first].seconds, heard: seconds)
        for number in numbers.dropFirst() {
            let step = marks[number].seconds - last.mark
            guard abs(step) < Self.longestStep else { break }
            let reach = PlayedPassage.tolerance + PlayedPassage.greatestSkew * abs(step)
            guard let time = heard.nearest(marks[number].sweep, to: last.heard + step, within: reach)
            else { continue }
            found[number] = time
            last = (marks[number].seconds, time)
        }
        return found
    }

    /// After this many seconds without a sweep, a run ends.
    private static let longestStep = 600.0
}

/// The times at which sweeps were heard, sorted.
private struct HeardSweeps {
    private var seconds: [Sweep: [Double]]

    init(_ sightings: [(sweep: Sweep, seconds: Double)]) {
        seconds = Dictionary(grouping: sightings, by: \.sweep).mapValues { $0.map(\.seconds) }
    }

    func times(of sweep: Sweep) -> [Double] { seconds[sweep] ?? [] }

    func nearest(_ sweep: Sweep, to time: Double, within reach: Double) -> Double? {
        let times = times(of: sweep)
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        let near = times[max(0, low - 1)..<min(times.count, low + 1)].min { abs($0 - time) < abs($1 - time) }
        return near.flatMap { abs($0 - time) <= reach ? $0 : nil }
    }

    mutating func remove(_ times: some Sequence<Double>) {
        let used = Set(times)
        for sweep in seconds.keys { seconds[sweep]?.removeAll { used.contains($0) } }
    }
}
