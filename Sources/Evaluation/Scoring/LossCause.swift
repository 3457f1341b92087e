import Matchers

/// Why a query of an enrolled recording was not answered with it.
package enum LossCause: Int, Sendable {
    case error
    case noCandidate
    /// The right reference is not among the candidates.
    case absent
    case outranked
    /// The right reference ranks first.
    case belowThreshold
}

extension JudgedTrial {
    /// Nil unless it is a miss or a wrong reference.
    package var lossCause: LossCause? {
        guard outcome == .missed || outcome == .wrongReference else { return nil }
        if record.error != nil { return .error }
        if record.candidates.isEmpty { return .noCandidate }
        guard let rightRank else { return .absent }
        return rightRank == 1 ? .belowThreshold : .outranked
    }
}

extension MatchExplanation {
    /// The name of the part of the score in which the right reference of a lost query lacks most.
    ///
    /// It is compared with the best candidate that scored higher. Without one, it is compared with the same reference in
    /// another explanation of the query.
    ///
    /// - Parameters:
    ///   - references: The right references.
    ///   - found: The explanation of a run that answered the query rightly.
    package func lackingPart(of references: [String], found: MatchExplanation? = nil) -> String? {
        func right(_ explanation: MatchExplanation?) -> ExplainedCandidate? {
            explanation?.candidates.first { references.contains($0.candidate.referenceID) }
        }
        guard let own = right(self) else { return nil }
        let winner = candidates.first {
            !references.contains($0.candidate.referenceID) && $0.candidate.score > own.candidate.score
        }
        guard let other = winner ?? right(found) else { return nil }
        let amounts = Dictionary(other.parts.map { ($0.name, $0.amount) }, uniquingKeysWith: +)
        let lacks = own.parts.compactMap { part in
            amounts[part.name].map { (name: part.name, amount: $0 - part.amount) }
        }
        return lacks.max { $0.amount < $1.amount }.flatMap { $0.amount > 0 ? $0.name : nil }
    }
}
