import AudioCore

/// The trials of each rung of a race: each rung adds trials to the one before, up to all.
///
/// Every rung takes the same share of each stratum, at least one trial, so that a short race represents the long one.
package struct RungLadder: Sendable {
    /// The numbers of the trials of each rung, rising; the last rung holds all trials.
    package let rungs: [[Int]]
    package let shares: [Double]

    /// A ninth, a third, all: three times as many trials for a third of the candidates.
    package static let thirds = [1.0 / 9, 1.0 / 3, 1]

    /// Divides trials, given the stratum of each, by draws from `seed`.
    ///
    /// - Parameter shares: Rising, above 0, the last 1.
    package init(strata: [String], shares: [Double] = thirds, seed: UInt64) {
        precondition(shares.last == 1 && shares == shares.sorted() && shares.allSatisfy { $0 > 0 })
        self.shares = shares
        let groups = Dictionary(grouping: strata.indices, by: { strata[$0] })
        var rungs = [[Int]](repeating: [], count: shares.count)
        for (name, members) in groups {
            var generator = SeededGenerator(seed: seed, "rung", name)
            let order = members.shuffled(using: &generator)
            for (rung, share) in shares.enumerated() {
                rungs[rung] += order.prefix(max(1, Int((share * Double(order.count)).rounded())))
            }
        }
        self.rungs = rungs.map { $0.sorted() }
    }
}
