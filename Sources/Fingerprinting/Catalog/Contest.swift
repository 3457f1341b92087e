#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whether a second reference is heard throughout where a first one is.
///
/// References that share a passage differ little in it, but evenly: one lies on the same frames as the query and
/// another half a frame off. Where their ways part, one ceases to fit at once. So no sums over the whole query are
/// compared: for every beginning and every end of the query it is asked how likely the second's peaks there are if
/// it goes on fitting as it does in the rest, compared with the first, and how likely if they agree by chance.
struct Contest {
    /// Peaks in order of time, counted from the query's beginning by slots of time.
    private struct Tally {
        private(set) var counts: [Int]
        private(set) var hits: [Int]

        init(slots: Int, _ peaks: some Sequence<(frame: Double, isHit: Bool)>) {
            counts = [Int](repeating: 0, count: slots + 1)
            hits = counts
            for (frame, isHit) in peaks {
                let slot = min(max(0, Int(frame) / Contest.slotFrames), slots - 1) + 1
                counts[slot] += 1
                if isHit { hits[slot] += 1 }
            }
            for slot in 1...slots {
                counts[slot] += counts[slot - 1]
                hits[slot] += hits[slot - 1]
            }
        }

        /// How many of how many in a range of slots.
        func part(_ slots: Range<Int>) -> (hits: Double, count: Double) {
            (
                Double(hits[slots.upperBound] - hits[slots.lowerBound]),
                Double(counts[slots.upperBound] - counts[slots.lowerBound])
            )
        }
    }

    private static let slotFrames = 4
    /// The share of a reference's peaks that any query of music seems to hold.
    private static let chanceOfReferencePeak = 0.13
    /// The share of the peaks matched by one reference that another seems to match.
    private static let chanceOfQueryPeak = 0.15
    /// The share that two references which are heard both match, before anything is known of them.
    private static let usualAgreement = 0.9
    /// How much more the peaks that a reference should show tell than those that the other one explains: two copies of a
    /// passage differ in the latter where it ends.
    private static let referenceWeight = 3.0
    /// Less speaks against 98 % of the references that share the passage with the first, and against none of the others.
    static let largestChanceDeficit = 5.0
    /// A part with fewer peaks than this says nothing.
    private static let leastPeaks = 3.0
    /// A part says nothing either beside a rest with fewer peaks than this.
    private static let leastRest = 10.0

    private let slots: Int
    private let query: [Peak]
    private let matched: Set<Int32>
    private let expected: Tally

    /// Takes the first reference's peaks.
    init(_ heard: HeardPeaks) {
        query = heard.query
        slots = max(1, (heard.frameCount + Self.slotFrames - 1) / Self.slotFrames)
        matched = heard.matched
        expected = Tally(slots: slots, heard.expected.map { ($0.frame, $0.isFound) })
    }

    /// The log-likelihood ratio of the second reference being heard by chance, in all of the query or in the part of it
    /// that speaks most against it, and being heard as the first is.
    func deficit(of second: Contest) -> Double {
        let shared = Tally(
            slots: slots,
            matched.map {
                (Double(query[Int($0)].time) / Double(FrequencyScale.steps), second.matched.contains($0))
            })
        var worst = throughout(second.expected, shared)
        guard slots > 1 else { return worst }
        for edge in 1..<slots {
            worst = max(worst, deficit(in: 0..<edge, beside: edge..<slots, second.expected, shared))
            worst = max(worst, deficit(in: edge..<slots, beside: 0..<edge, second.expected, shared))
        }
        return worst
    }

    private func throughout(_ its: Tally, _ shared: Tally) -> Double {
        let whole = 0..<slots
        let rate = Self.rate(expected.part(whole))
        return Self.referenceWeight * Self.ratio(its.part(whole), Self.chanceOfReferencePeak, rate)
            + Self.ratio(shared.part(whole), Self.chanceOfQueryPeak, Self.usualAgreement)
    }

    private func deficit(
        in part: Range<Int>, beside rest: Range<Int>, _ second: Tally, _ shared: Tally
    ) -> Double {
        var sum = 0.0
        let (its, itsRest) = (second.part(part), second.part(rest))
        let (own, ownRest) = (expected.part(part), expected.part(rest))
        if its.count >= Self.leastPeaks, itsRest.count >= Self.leastRest, ownRest.count >= Self.leastRest {
            let share = min(1, Self.rate(itsRest) / Self.rate(ownRest))
            sum += Self.referenceWeight * Self.ratio(its, Self.chanceOfReferencePeak, Self.rate(own) * share)
        }
        let (both, bothRest) = (shared.part(part), shared.part(rest))
        if both.count >= Self.leastPeaks, bothRest.count >= Self.leastRest {
            let agreement = (bothRest.hits + 2 * Self.usualAgreement) / (bothRest.count + 2)
            sum += Self.ratio(both, Self.chanceOfQueryPeak, max(agreement, 2 * Self.chanceOfQueryPeak))
        }
        return sum
    }

    /// A share, kept from 0 and 1 where little is known.
    private static func rate(_ part: (hits: Double, count: Double)) -> Double {
        (part.hits + 1) / (part.count + 2)
    }

    /// How much likelier so many hits are at the rate of chance than at another; 0 where that is no higher.
    private static func ratio(_ part: (hits: Double, count: Double), _ chance: Double, _ rate: Double)
        -> Double
    {
        let rate = min(rate, 0.98)
        guard rate > chance else { return 0 }
        return part.hits * log(chance / rate) + (part.count - part.hits) * log((1 - chance) / (1 - rate))
    }
}
