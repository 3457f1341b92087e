import Foundation

/// A trial with all that decides it at any threshold.
package struct ThresholdTrial: Sendable {
    package let cluster: String
    /// Whether some enrolled reference contains the query.
    package let isPositive: Bool
    /// Candidates with a score, best first.
    private let candidates: [(score: Double, isRight: Bool)]
    /// Those that are claimed at some threshold, by rising score: the first candidate at or above a threshold is.
    let claims: [(score: Double, isRight: Bool)]

    /// - Parameter candidates: best first; those whose score is not a number are left out.
    package init(
        cluster: String, isPositive: Bool, candidates: some Sequence<(score: Double, isRight: Bool)>
    ) {
        self.cluster = cluster
        self.isPositive = isPositive
        self.candidates = candidates.filter { !$0.score.isNaN }
        var claims: [(score: Double, isRight: Bool)] = []
        for candidate in self.candidates where candidate.score > claims.last?.score ?? -.infinity {
            claims.append(candidate)
        }
        // A score of −∞ is above no other, but a threshold of −∞ accepts it.
        self.claims = claims.isEmpty ? Array(self.candidates.prefix(1)) : claims
    }

    /// How it ends if scores of at least `threshold` are accepted; nil accepts none.
    package func decided(at threshold: Double?) -> DecidedTrial {
        let accepted = threshold.map { least in candidates.filter { $0.score >= least } } ?? []
        return DecidedTrial(
            cluster: cluster, isPositive: isPositive, claim: accepted.first?.isRight,
            accepted: accepted.count, rightAccepted: accepted.count(where: \.isRight))
    }
}

/// The end of a trial under some decision.
package struct DecidedTrial: Sendable {
    package let cluster: String
    package let isPositive: Bool
    /// Whether the first accepted answer is right; nil if none is accepted.
    package let claim: Bool?
    package let accepted: Int
    package let rightAccepted: Int

    package init(cluster: String, isPositive: Bool, claim: Bool?, accepted: Int, rightAccepted: Int) {
        self.cluster = cluster
        self.isPositive = isPositive
        self.claim = claim
        self.accepted = accepted
        self.rightAccepted = rightAccepted
    }
}

/// What wrong decisions cost, and how often a query has an answer.
package struct DecisionPrices: Codable, Hashable, Sendable {
    /// The share of queries of enrolled recordings, above 0 and below 1.
    package var prior: Double
    /// The price of an answer to a query that has none.
    package var falseAccept: Double
    /// The price of no answer to a query that has one.
    package var miss: Double
    /// The price of a wrong answer to a query that has a right one.
    package var wrongReference: Double

    /// - Parameter wrongReference: Nil takes the price of a false accept.
    package init(
        prior: Double = 0.5, falseAccept: Double = 1, miss: Double = 1, wrongReference: Double? = nil
    ) {
        self.prior = prior
        self.falseAccept = falseAccept
        self.miss = miss
        self.wrongReference = wrongReference ?? falseAccept
    }

    /// The expected price of a decision on a query.
    func expected(missRate: Double, wrongReferenceRate: Double, falseAcceptRate: Double) -> Double {
        prior * (missRate * miss + wrongReferenceRate * wrongReference)
            + (1 - prior) * falseAcceptRate * falseAccept
    }
}

/// The figures of one decision on a set of trials.
package struct OperatingPoint: Codable, Hashable, Sendable {
    /// Positives whose claim is right.
    package let recall: Proportion
    /// Negatives with a claim.
    package let falseAccepts: Proportion
    /// Positives whose claim is wrong.
    package let wrongReferences: Proportion
    /// Accepted answers that are right, at any rank.
    package let precision: Proportion
    /// The expected price of a decision on a query; nil without positives or without negatives.
    package let cost: Double?
    /// Its 95 % interval; nil where the cost is.
    ///
    /// It combines the intervals of the rates, so it has a width without any mistake. Misses and wrong references are of the
    /// same queries, so their widths add up. Negatives are other queries, so squares add up: G. Y. Zou and A. Donner,
    /// "Construction of confidence limits about effect measures: a general approach", Statistics in Medicine 27(10), 2008.
    package let costInterval: Interval?

    package init(_ trials: [DecidedTrial], prices: DecisionPrices) {
        let positives = trials.filter(\.isPositive)
        func share(_ trials: [DecidedTrial], _ holds: (DecidedTrial) -> Bool) -> Proportion {
            Proportion(clustered: trials.map { ($0.cluster, holds($0)) })
        }
        recall = share(positives) { $0.claim == true }
        wrongReferences = share(positives) { $0.claim == false }
        falseAccepts = share(trials.filter { !$0.isPositive }) { $0.claim != nil }
        precision = Proportion(
            clustered: trials.flatMap { trial in
                (0..<trial.accepted).map { (trial.cluster, $0 < trial.rightAccepted) }
            })
        // A positive without a right claim costs a miss, and a wrong claim the rest of its price.
        let parts = [
            PricedRate(recall, price: -prices.prior * prices.miss),
            PricedRate(wrongReferences, price: prices.prior * (prices.wrongReference - prices.miss)),
            PricedRate(falseAccepts, price: (1 - prices.prior) * prices.falseAccept),
        ].compactMap(\.self)
        guard parts.count == 3 else {
            cost = nil
            costInterval = nil
            return
        }
        let total = prices.prior * prices.miss + parts.reduce(0) { $0 + $1.value }
        func reach(_ side: KeyPath<PricedRate, Double>) -> Double {
            hypot(parts[0][keyPath: side] + parts[1][keyPath: side], parts[2][keyPath: side])
        }
        cost = max(0, total)
        costInterval = Interval(lower: max(0, total - reach(\.below)), upper: total + reach(\.above))
    }

    /// A rate times its price, and how far its interval reaches to each side.
    private struct PricedRate {
        let value: Double
        let below: Double
        let above: Double

        init?(_ share: Proportion, price: Double) {
            guard let rate = share.rate, let interval = share.wilsonInterval() else { return nil }
            value = price * rate
            let ends = [price * interval.lower, price * interval.upper].sorted()
            below = value - ends[0]
            above = ends[1] - value
        }
    }
}
