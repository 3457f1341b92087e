import Matchers

/// One query of a study of intros, and what the matcher made of it.
package struct IntroRecord: Codable, Hashable, Sendable {
    /// What is asked.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The query lies within the intro: every episode is right.
        case inside
        /// The query ends after the intro: one episode is right.
        case boundary
        /// The intro is played at the skew of its tag: one tag is right.
        case tag
    }

    /// What is asked.
    package var kind: Kind
    /// The set's name.
    package var set: String
    /// How many episodes it has.
    package var episodes: Int
    /// Which episode the query was cut from, counted from 1; of a tag which tag, counted from the middle one as 0.
    package var right: Int
    /// The name of the condition.
    package var condition: String
    /// The length of the query in seconds.
    package var lengthSeconds: Double
    /// How long after the intro's end the query ends, in seconds; nil but at a boundary.
    package var tailSeconds: Double?
    /// The distance of neighbouring tags in percent; nil but for tags.
    package var spacingPercent: Double?
    /// The signal-to-noise ratio within 0–4 kHz in decibels, where noise was added.
    package var snrDecibelsTo4kHz: Double?
    /// How many episodes of the set the matcher accepts.
    package var accepted = 0
    /// Which episode comes first, counted from 1, 0 for any other recording; nil when nothing was accepted.
    package var first: Int?
    /// The least log-likelihood deficit of any other candidate (``Candidate/logLikelihoodDeficit``), or by how much the first exceeds
    /// the others in score where the matcher states no deficit; nil when there is no other.
    package var lead: Double?
    /// The frequency skew of the first that the matcher reports, as a fraction.
    package var frequencySkew: Double?
    /// The same as measured, without assuming a kind of skew, where the matcher states it.
    package var freeFrequencySkew: Double?
    /// Why the query could not be made or answered.
    package var error: String?

    /// Starts the record of a query that has not been asked.
    package init(
        kind: Kind, set: String, episodes: Int, right: Int, condition: String, lengthSeconds: Double,
        tailSeconds: Double? = nil, spacingPercent: Double? = nil
    ) {
        self.kind = kind
        self.set = set
        self.episodes = episodes
        self.right = right
        self.condition = condition
        self.lengthSeconds = lengthSeconds
        self.tailSeconds = tailSeconds
        self.spacingPercent = spacingPercent
    }
}

/// What an answer comes to, once references that are nearly as good are taken into account.
package enum IntroVerdict: String, Codable, Hashable, Sendable, CaseIterable {
    /// One reference is claimed, and it is right; within the intro none could be.
    case right
    /// One reference is claimed, and it is wrong, or none should have been.
    case wrong
    /// Two or more references are as good: none is claimed.
    case ambiguous
    /// Nothing was accepted.
    case missed
}

extension IntroRecord {
    /// What the answer comes to when a reference is claimed from a lead of `margin` on.
    package func verdict(margin: Double) -> IntroVerdict {
        guard let first else { return .missed }
        if let lead, lead < margin { return .ambiguous }
        return kind != .inside && first == right ? .right : .wrong
    }

    /// Which tag the reported skew falls under: half-open ranges as wide as the spacing, the middle one about 0.
    package var tag: Int? { frequencySkew.flatMap(tag(of:)) }

    /// Which tag the skew as measured falls under.
    package var freeTag: Int? { (freeFrequencySkew ?? frequencySkew).flatMap(tag(of:)) }

    private func tag(of skew: Double) -> Int? {
        guard let spacingPercent else { return nil }
        return Int((skew * 100 / spacingPercent + 0.5).rounded(.down))
    }
}
