import AudioCore

/// One query of a study of intros, and the matcher's answer.
package struct IntroRecord: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The query is inside the intro: every episode is right.
        case inside
        /// The query ends after the intro: one episode is right.
        case boundary
        /// The intro is played at the skew of its tag: one tag is right.
        case tag
    }

    package var kind: Kind
    package var set: String
    package var episodes: Int
    /// The number of the query's episode, from 1; for a tag its number, with 0 in the middle.
    package var right: Int
    package var condition: String
    package var lengthSeconds: Double
    /// The time from the intro's end to the query's end, in seconds; only at a boundary.
    package var tailSeconds: Double?
    /// The distance of neighbouring tags in percent; only for tags.
    package var spacingPercent: Double?
    /// The signal-to-noise ratio within 0–4 kHz in decibels, if noise was added.
    package var snrDecibelsTo4kHz: Double?
    package var accepted = 0
    /// The number of the first episode, from 1; 0 for another recording, nil if none was accepted.
    package var first: Int?
    /// The least ``Candidate/logLikelihoodDeficit`` of any other candidate; nil when there is no other.
    ///
    /// Where the matcher states none, it is the lead of the first in score.
    package var lead: Double?
    package var frequencySkew: Double?
    /// The frequency skew measured without assuming a kind of skew, if the matcher reports it.
    package var freeFrequencySkew: Double?
    package var error: String?

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

/// The verdict on an answer, given references that are nearly as good.
package enum IntroVerdict: String, Codable, Hashable, Sendable, CaseIterable {
    /// One reference is claimed, and it is right; this cannot happen inside the intro.
    case right
    /// One reference is claimed, and it is wrong or none is right alone.
    case wrong
    /// Two or more references are as good: none is claimed.
    case ambiguous
    case missed
}

extension IntroRecord {
    /// The verdict if a reference is claimed from a lead of `margin` on.
    package func verdict(margin: Double) -> IntroVerdict {
        guard let first else { return .missed }
        if let lead, lead < margin { return .ambiguous }
        return kind != .inside && first == right ? .right : .wrong
    }

    /// The tag of the reported skew; tags are half-open ranges as wide as the spacing, centred on 0.
    package var tag: Int? { frequencySkew.flatMap(tag(of:)) }

    package var freeTag: Int? { (freeFrequencySkew ?? frequencySkew).flatMap(tag(of:)) }

    private func tag(of skew: Double) -> Int? {
        guard let spacingPercent else { return nil }
        return Int(bounded: (skew * 100 / spacingPercent + 0.5).rounded(.down))
    }
}
