import Glibc

/// Compares two references that share a passage with the query: whether the second matches wherever the first does.
///
/// In a shared passage references differ little and evenly, as one may be half a frame off the query's frames. After the
/// passage one of them ceases to match at once. So sums over the whole query are no use. For every beginning and every
/// end of the query, it computes a likelihood ratio for the second reference's peaks there. One hypothesis is a match by
/// chance; the other is a match as good as in the rest of the query, relative to the first reference.
struct PassageComparison {
    /// Peaks counted from the query's beginning by slots of time.
    private struct Tally {
        /// The first slot with a peak: long queries may match in a small part.
        private let first: Int
        private var counts: [Int32]
        private var hits: [Int32]

        /// Counts peaks in order of time.
        init(_ peaks: Range<Int>, _ peak: (Int) -> (slot: Int, isHit: Bool)) {
            first = peaks.first.map { peak($0).slot } ?? 0
            let end = peaks.last.map { peak($0).slot + 1 } ?? 0
            counts = [Int32](repeating: 0, count: end - first + 1)
            hits = counts
            for place in peaks {
                let (slot, isHit) = peak(place)
                counts[slot + 1 - first] += 1
                if isHit { hits[slot + 1 - first] += 1 }
            }
            for slot in counts.indices.dropFirst() {
                counts[slot] += counts[slot - 1]
                hits[slot] += hits[slot - 1]
            }
        }

        func part(_ slots: Range<Int>) -> (hits: Double, count: Double) {
            let low = place(of: slots.lowerBound)
            let high = place(of: slots.upperBound)
            return (Double(hits[high] - hits[low]), Double(counts[high] - counts[low]))
        }

        private func place(of slot: Int) -> Int { min(max(0, slot - first), counts.count - 1) }
    }

    private static let slotFrames = 4
    /// The share of a reference's peaks that any query of music has by chance.
    private static let chanceOfReferencePeak = 0.13
    /// The share of the peaks matched by one reference that another matches by chance.
    private static let chanceOfQueryPeak = 0.15
    /// The prior share of peaks that both references match when both contain the query.
    private static let usualAgreement = 0.9
    /// The weight of a reference's expected peaks relative to the other one's matched peaks.
    ///
    /// Two copies of a passage differ in matched peaks where it ends.
    private static let referenceWeight = 3.0
    /// 98 % of the references that share the passage with the first have a smaller deficit, and none of the others.
    static let largestChanceDeficit = 5.0
    /// Of references that share all of a query none has a deficit this large.
    static let leastCertainDeficit = 13.0
    /// A part with fewer peaks is ignored.
    private static let leastPeaks = 3.0
    /// A part is also ignored if the rest has fewer peaks.
    private static let leastRest = 10.0

    private let slots: Int
    /// The query's peaks with a partner: their places in order, and their slots.
    private let matched: [(place: Int32, slot: Int32)]
    private let expected: Tally

    init(_ aligned: AlignedPeaks) {
        let slots = max(1, (aligned.frameCount + Self.slotFrames - 1) / Self.slotFrames)
        func slot(_ frame: Double) -> Int { min(max(0, Int(frame) / Self.slotFrames), slots - 1) }
        var matched: [(place: Int32, slot: Int32)] = []
        var isFound = [Bool](repeating: false, count: aligned.reference.count)
        aligned.forEachPart { first, query, pairs in
            for pair in pairs {
                isFound[Int(pair.reference)] = true
                let place = Int32(first) + pair.query
                guard matched.last?.place != place else { continue }
                let frame = Double(query.times.base[Int(pair.query)]) / Double(FrequencyScale.timeSteps)
                matched.append((place, Int32(slot(frame))))
            }
        }
        self.slots = slots
        self.matched = matched
        expected = Tally(aligned.expected) {
            (slot(aligned.queryFrame(of: aligned.reference[$0])), isFound[$0])
        }
    }

    /// The log-likelihood ratio of two hypotheses: the second reference matches by chance, or as the first does.
    ///
    /// It is the largest ratio over the whole query and all its beginnings and ends.
    func logLikelihoodDeficit(of second: PassageComparison) -> Double {
        max(throughout(second.expected, shared(with: second)), logLikelihoodDeficitAtEdges(of: second))
    }

    /// The largest ratio over all beginnings and ends of the query.
    ///
    /// Unlike the ratio over the whole query, it does not grow with the noise of a copy.
    func logLikelihoodDeficitAtEdges(of second: PassageComparison) -> Double {
        let shared = shared(with: second)
        var worst = -Double.infinity
        guard slots > 1 else { return worst }
        for edge in 1..<slots {
            worst = max(
                worst, logLikelihoodDeficit(in: 0..<edge, beside: edge..<slots, second.expected, shared))
            worst = max(
                worst, logLikelihoodDeficit(in: edge..<slots, beside: 0..<edge, second.expected, shared))
        }
        return worst
    }

    private func shared(with second: PassageComparison) -> Tally {
        // Both are in order of place.
        var other = 0
        var isShared = [Bool](repeating: false, count: matched.count)
        for place in matched.indices {
            while other < second.matched.count, second.matched[other].place < matched[place].place {
                other += 1
            }
            isShared[place] =
                other < second.matched.count && second.matched[other].place == matched[place].place
        }
        return Tally(matched.indices) { (Int(matched[$0].slot), isShared[$0]) }
    }

    private func throughout(_ its: Tally, _ shared: Tally) -> Double {
        let whole = 0..<slots
        let rate = Self.rate(expected.part(whole))
        return Self.referenceWeight * Self.ratio(its.part(whole), Self.chanceOfReferencePeak, rate)
            + Self.ratio(shared.part(whole), Self.chanceOfQueryPeak, Self.usualAgreement)
    }

    private func logLikelihoodDeficit(
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

    /// A share, regularised away from 0 and 1.
    private static func rate(_ part: (hits: Double, count: Double)) -> Double {
        (part.hits + 1) / (part.count + 2)
    }

    /// The log-likelihood ratio of the hits at the rate of chance and at another rate; 0 where that is no higher.
    private static func ratio(_ part: (hits: Double, count: Double), _ chance: Double, _ rate: Double)
        -> Double
    {
        let rate = min(rate, 0.98)
        guard rate > chance else { return 0 }
        return part.hits * log(chance / rate) + (part.count - part.hits) * log((1 - chance) / (1 - rate))
    }
}

extension PassageComparison {
    /// Compares matches of one query with the accepted one that fits best, and sets the deficit of each of the others.
    static func compare(
        _ matches: [Match], _ comparisons: [PassageComparison], bestFirst: Bool = false
    ) -> [Match] {
        var best = 0
        for other in matches.indices.dropFirst() where matches[other].isAccepted {
            let againstBest = comparisons[other].logLikelihoodDeficit(of: comparisons[best])
            if againstBest > 0, againstBest > comparisons[best].logLikelihoodDeficit(of: comparisons[other]) {
                best = other
            }
        }
        var order = Array(matches.indices)
        if bestFirst { order.insert(order.remove(at: best), at: 0) }
        return order.map { place in
            var match = matches[place]
            guard place != best else { return match }
            let deficit = comparisons[best].logLikelihoodDeficit(of: comparisons[place])
            match.logLikelihoodDeficit = deficit
            match.containsOnlyAPart =
                deficit >= leastCertainDeficit
                && comparisons[best].logLikelihoodDeficitAtEdges(of: comparisons[place])
                    >= leastCertainDeficit
            // Only the first match needs to reach the threshold: those that fit equally well are accepted with it.
            if matches[best].isAccepted, match.sharesThePassage {
                match.isAccepted = true
                match.relatedScore = nil
            }
            return match
        }
    }
}
