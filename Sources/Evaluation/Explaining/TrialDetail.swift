import Foundation

/// A trial made again to be looked at and listened to.
public struct TrialDetail: Codable, Hashable, Sendable {
    /// The trial.
    public var trialID: String
    /// The query; nil when it could not be made.
    public var query: Sound?
    /// The passage of the reference that would have been right; nil for a negative.
    public var expected: Passage?
    /// The passage that the best candidate names; nil where that is the expected one.
    public var chosen: Passage?
    /// What the matcher's answers rest on; nil when it does not say.
    public var explanation: MatchExplanation?
    /// What is missing here or came out otherwise than it was stored, and why: a sentence each.
    public var remarks: [String]

    /// Starts a detail.
    public init(trialID: String) {
        self.trialID = trialID
        remarks = []
    }

    /// A piece of audio, encoded.
    public struct Sound: Codable, Hashable, Sendable {
        /// An Ogg file with Opus in it.
        public var data: Data
        /// The length of what was encoded, in seconds.
        public var seconds: Double
        /// The length of all there was, in seconds: longer where only the beginning was encoded.
        public var wholeSeconds: Double

        /// Makes a sound.
        public init(data: Data, seconds: Double, wholeSeconds: Double) {
            self.data = data
            self.seconds = seconds
            self.wholeSeconds = wholeSeconds
        }
    }

    /// The part of a reference that a query is laid on.
    public struct Passage: Codable, Hashable, Sendable {
        /// Where the query is laid.
        public var place: ReferencePlace
        /// The reference time of the first sample of the sound, in seconds.
        public var startSeconds: Double
        /// The passage; nil when the reference has nothing there or could not be read.
        public var sound: Sound?
        /// Its place among the explanation's alignments; nil when it has none.
        public var alignment: Int?

        /// Makes a passage that is not heard yet.
        public init(place: ReferencePlace) {
            self.place = place
            startSeconds = place.offsetSeconds
        }
    }
}
