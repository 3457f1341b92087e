/// The schedule of searches in a stream, and the conditions for a match.
public struct StreamSettings: Hashable, Sendable {
    /// Searches are at multiples of this many seconds.
    public var stepSeconds = 0.25
    /// The times of the first searches after the start or the end of a reference, in seconds; each covers all audio since.
    public var firstLooksSeconds = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5]
    /// The period of the quick searches that follow, in seconds: a short window without skew.
    public var quickLookSeconds = 1.0
    /// The window of a quick search, in seconds.
    public var quickWindowSeconds = 4.0
    /// The most candidates of a quick search.
    public var quickCandidates = 25
    /// The period of the full searches that follow, in seconds: a longer window at all skews.
    public var fullLookSeconds = 5.0
    /// The window of a full search, in seconds.
    public var fullWindowSeconds = 8.0
    /// The most candidates of a full search.
    public var fullCandidates = 100
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

    /// The windows of an hour that do not overlap, with and without skew.
    var windowsPerHour: Double { 3600 / quickWindowSeconds + 3600 / fullWindowSeconds }

    var longestWindowSeconds: Double {
        max(
            firstLooksSeconds.max() ?? 0, quickWindowSeconds, fullWindowSeconds, followWindowSeconds,
            rivalWindowSeconds)
    }
}
