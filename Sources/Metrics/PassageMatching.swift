/// The true passage of each found one.
///
/// A found passage finds a true one of its label if their intersection is at least a share of their union. Each finds at
/// most one, and is found by at most one: the pairs that agree best come first. Of the others, one that lies mostly within
/// true passages of its label is a duplicate or a fragment.
package struct PassageMatching: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// It finds the true passage of this number.
        case found(Int)
        /// It lies mostly within a true passage that another one finds.
        case duplicate(Int)
        /// It lies mostly within a true passage that none finds, and covers too little of it.
        case fragment(Int)
        /// It lies mostly within passages that may be found and need not be.
        case permitted
        case wrong
    }

    /// The verdict on each found passage, in their order.
    package let verdicts: [Verdict]
    /// The found passage that finds each true one.
    package let finders: [Int?]

    /// The least share of the union that both have in common.
    package static let usualOverlap = 0.5
    /// The least share of a duplicate or a fragment that lies within true passages.
    private static let leastWithin = 0.5

    package init(
        truth: [LabelledSpan], found: [LabelledSpan], permitted: [LabelledSpan] = [],
        overlap: Double = Self.usualOverlap
    ) {
        let places = Dictionary(grouping: truth.indices) { truth[$0].label }
        let allowed = Dictionary(grouping: permitted, by: \.label)
        typealias Pair = (share: Double, truth: Int, found: Int)
        var pairs: [Pair] = []
        for (number, one) in found.enumerated() {
            for place in places[one.label] ?? [] {
                let share = truth[place].overlapOverUnion(one)
                if share >= overlap, share > 0 { pairs.append((share, place, number)) }
            }
        }
        pairs.sort { ($1.share, $0.truth, $0.found) < ($0.share, $1.truth, $1.found) }
        var finders = [Int?](repeating: nil, count: truth.count)
        var verdicts = [Verdict](repeating: .wrong, count: found.count)
        for pair in pairs where finders[pair.truth] == nil && verdicts[pair.found] == .wrong {
            finders[pair.truth] = pair.found
            verdicts[pair.found] = .found(pair.truth)
        }
        for (number, one) in found.enumerated() where verdicts[number] == .wrong {
            let candidates = places[one.label] ?? []
            let within = candidates.reduce(0) { $0 + truth[$1].overlap(one) }
            let nearest = candidates.max { truth[$0].overlap(one) < truth[$1].overlap(one) }
            if let nearest, within > 0, within >= Self.leastWithin * one.length {
                verdicts[number] = finders[nearest] == nil ? .fragment(nearest) : .duplicate(nearest)
                continue
            }
            let may = allowed[one.label] ?? []
            let either = (may + candidates.map { truth[$0] }).stretches().reduce(0) { $0 + $1.overlap(one) }
            if may.contains(where: { $0.overlap(one) > 0 }), either >= Self.leastWithin * one.length {
                verdicts[number] = .permitted
            }
        }
        self.finders = finders
        self.verdicts = verdicts
    }
}
