/// When a stream is looked up, and what it takes to name a reference.
public struct StreamSettings: Hashable, Sendable {
    /// Looks are taken at multiples of this many seconds.
    public var stepSeconds = 0.25
    /// After a start, or after a reference has ended, all heard since is looked up at these ages in seconds.
    public var firstLooksSeconds = [0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5]
    /// Then a short window is looked up without skew, this often.
    public var quickLookSeconds = 1.0
    /// The length of that window.
    public var quickWindowSeconds = 4.0
    /// How many places are checked for it at most.
    public var quickCandidates = 25
    /// And a longer one at all skews, this often.
    public var fullLookSeconds = 5.0
    /// The length of that window.
    public var fullWindowSeconds = 8.0
    /// How many places are checked for it at most.
    public var fullCandidates = 100
    /// A score this far above the catalog's threshold names a reference when a second look finds it at the same place:
    /// thousands of looks are taken in an hour, so what is enough for one query is not enough here.
    public var agreedMargin = 2.0
    /// A score this far above the threshold names a reference at once.
    public var certainMargin = 5.0
    /// How far apart in seconds two looks may place it.
    public var agreementSeconds = 0.1
    /// A reference that was named is checked this often at the place where it must be by now.
    public var followSeconds = 1.0
    /// The longest window of that check.
    public var followWindowSeconds = 5.0
    /// The window while several references are followed, which differ in what comes next.
    public var rivalWindowSeconds = 2.5
    /// A score this far below the threshold still confirms what was named.
    public var followMargin = 4.0
    /// Of several references those with less than this share of the best one's evidence are not confirmed.
    public var rivalShare = 0.5
    /// A reference that no check has confirmed for so long has ended.
    public var lostSeconds = 3.0
    /// How often other references are looked for while one is followed.
    public var rivalLookSeconds = 15.0

    /// The measured settings.
    public init() {}

    /// The longest window of all.
    var longestWindowSeconds: Double {
        max(
            firstLooksSeconds.max() ?? 0, quickWindowSeconds, fullWindowSeconds, followWindowSeconds,
            rivalWindowSeconds)
    }
}
