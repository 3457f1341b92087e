/// How one trial ended; every trial ends in exactly one of these.
public enum Outcome: String, Codable, Hashable, Sendable, CaseIterable {
    /// A positive query, and the claimed reference contains it.
    case correct
    /// A positive query, and another reference was claimed.
    case wrongReference
    /// A positive query, and nothing was claimed.
    case missed
    /// A negative query, and some reference was claimed.
    case falseAccept
    /// A negative query, and nothing was claimed.
    case correctReject
    /// A negative query, and the matcher failed on it; no rate counts it.
    case negativeError

    /// Judges one trial.
    ///
    /// `claim` is whether the claimed reference contains the query, or nil if nothing was claimed.
    /// Any claim for a negative is a false accept. If the matcher failed, a positive is missed.
    public init(isPositive: Bool, claim: Bool?, isError: Bool = false) {
        if isError {
            self = isPositive ? .missed : .negativeError
            return
        }
        switch (isPositive, claim) {
        case (true, .some(true)): self = .correct
        case (true, .some(false)): self = .wrongReference
        case (true, .none): self = .missed
        case (false, .some): self = .falseAccept
        case (false, .none): self = .correctReject
        }
    }

    package var isRight: Bool { self == .correct || self == .correctReject }
}
