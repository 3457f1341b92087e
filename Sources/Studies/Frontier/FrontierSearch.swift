import AudioCore

/// Finds the limit of a query along one ladder in few tries: a coarse scan, then bisection of every change.
///
/// The scan tries both ends and one random rung from each equal part between them. So all queries together leave no
/// gap, as a fixed grid would. Between a found and a lost rung that are next to each other in the scan, bisection
/// continues until the two are neighbours.
package struct FrontierSearch: Sendable {
    package let rungs: Int
    package let coarse: Int
    package let seed: UInt64

    package init(rungs: Int, coarse: Int, seed: UInt64) {
        precondition(rungs >= 2 && coarse >= 2, "\(coarse) of \(rungs) rungs")
        self.rungs = rungs
        self.coarse = min(coarse, rungs)
        self.seed = seed
    }

    package var scan: [Int] {
        let last = rungs - 1
        guard coarse > 2 else { return [0, last] }
        guard coarse < rungs else { return Array(0...last) }
        var generator = SeededGenerator(seed: seed)
        let parts = coarse - 2
        // Divides the rungs between the ends into one part for each rung to draw; no part is empty.
        let inner = (0..<parts).map { part in
            let first = 1 + part * (last - 1) / parts
            let end = 1 + (part + 1) * (last - 1) / parts
            return first + generator.index(below: end - first)
        }
        return [0] + inner + [last]
    }

    /// Asks about each rung at most once.
    package func run(_ isFound: (Int) throws -> Bool) rethrows -> FrontierFinding {
        var answers: [Int: Bool] = [:]
        for rung in scan { answers[rung] = try isFound(rung) }
        for (first, second) in zip(scan, scan.dropFirst()) {
            var (low, high) = (first, second)
            while high - low > 1, answers[low] != answers[high] {
                let middle = (low + high) / 2
                let answer = try isFound(middle)
                answers[middle] = answer
                if answer == answers[low] { low = middle } else { high = middle }
            }
        }
        return FrontierFinding(answers: answers, rungs: rungs)
    }
}

package struct FrontierFinding: Hashable, Sendable {
    package let answers: [Int: Bool]
    package let rungs: Int

    package enum Status: String, Sendable, CaseIterable {
        case neverLost = "never lost"
        case alwaysLost = "always lost"
        /// Found at one rung, lost at the next and at all that were tried beyond.
        case bracketed
    }

    /// The worst rung at which the query was found; nil when there was none.
    package var lastFound: Int? { answers.filter(\.value).keys.max() }

    /// The mildest rung from which the query was lost for good; nil when it was found at the worst.
    package var firstLost: Int? {
        let lost = (lastFound ?? -1) + 1
        return lost < rungs ? lost : nil
    }

    package var status: Status {
        guard lastFound != nil else { return .alwaysLost }
        return firstLost == nil ? .neverLost : .bracketed
    }

    /// Ranges of rungs at which the query was lost although it was found at a worse one, mildest first.
    ///
    /// Both ends were tried, and so were the found rungs beside them, but not every rung between.
    package var holes: [ClosedRange<Int>] {
        guard let lastFound else { return [] }
        var holes: [ClosedRange<Int>] = []
        var isOpen = false
        for rung in answers.keys.sorted() where rung < lastFound {
            guard answers[rung] == false else {
                isOpen = false
                continue
            }
            if isOpen, let hole = holes.popLast() {
                holes.append(hole.lowerBound...rung)
            } else {
                holes.append(rung...rung)
            }
            isOpen = true
        }
        return holes
    }
}
