/// The schedule of searches in a stream, and the conditions for a match.
public struct StreamSettings: Hashable, Sendable {
    /// Searches are at multiples of this many seconds.
    public var stepSeconds = 0.125
    /// The times of the first searches after the start or the end of a reference, in seconds; each covers all audio since.
    public var firstLooksSeconds = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5]
    /// The searches that follow; of those at one time the longest is made.
    public var looks = [
        Look(everySeconds: 0.125, windowSeconds: 1, isUnskewedOnly: true, candidates: 25),
        Look(everySeconds: 0.5, windowSeconds: 2.5, isUnskewedOnly: false, candidates: 100),
        Look(everySeconds: 5, windowSeconds: 8, isUnskewedOnly: false, candidates: 100),
    ]

    /// Searches that come again and again while nothing is followed.
    public struct Look: Hashable, Sendable {
        /// The period, in seconds.
        public var everySeconds: Double
        /// The part of the stream that is searched, in seconds.
        public var windowSeconds: Double
        /// Whether only references at their own speed and pitch are found, which is quick.
        public var isUnskewedOnly: Bool
        /// The most candidates.
        public var candidates: Int

        /// Searches the last `windowSeconds` every `everySeconds`.
        public init(everySeconds: Double, windowSeconds: Double, isUnskewedOnly: Bool, candidates: Int) {
            self.everySeconds = everySeconds
            self.windowSeconds = windowSeconds
            self.isUnskewedOnly = isUnskewedOnly
            self.candidates = candidates
        }
    }

    /// The largest distance of the places of two searches, in seconds.
    public var agreementSeconds = 0.1
    /// The period of checks of a found reference at its expected place, in seconds.
    public var followSeconds = 1.0
    /// The longest window of a check, in seconds.
    public var followWindowSeconds = 4.0
    /// The period of checks of several references, in seconds.
    public var rivalSeconds = 0.5
    /// The window of a check of several references, in seconds: a short one shows sooner where they differ.
    public var rivalWindowSeconds = 2.5
    /// A score this far below the threshold still confirms a found reference.
    public var followMargin = 1.5
    /// A reference with less than this share of the best one's evidence is not confirmed.
    public var rivalShare = 0.5
    /// A reference is over when its peaks are this much less probable than their absence, as a log-likelihood ratio.
    public var endEvidence = 7.0
    /// At this much of it other references are searched for.
    public var doubtEvidence = 3.0
    /// After that, what plays next may be found within this many seconds: that nothing plays is reported later, or in silence.
    public var nextSeconds = 2.0
    /// A reference ends after this many seconds without a confirming check.
    public var lostSeconds = 3.0
    /// A reference is over when its expected place is this many seconds beyond its end.
    ///
    /// As long as the time between two quick searches, so that one of them may find a short reference whole.
    public var overrunSeconds = 1.0
    /// The period of searches for other references while one is followed, in seconds.
    public var rivalLookSeconds = 15.0

    /// The recommended settings.
    public init() {}

    /// How often an hour what is heard may change, so that the first searches are made again.
    private static let changesPerHour = 120.0
    /// The first searches of an hour.
    var firstLooksPerHour: Double { Self.changesPerHour * Double(firstLooksSeconds.count) }
    /// The windows of an hour that do not overlap.
    var windowsPerHour: Double { looks.reduce(0) { $0 + 3600 / $1.windowSeconds } }

    var longestWindowSeconds: Double {
        max(
            firstLooksSeconds.max() ?? 0, looks.map(\.windowSeconds).max() ?? 0, followWindowSeconds,
            rivalWindowSeconds)
    }
}
