/// What a meeting with other machines' journals changed.
public struct LibrarySyncReport: Hashable, Sendable {
    /// How many items came from other machines.
    public let received: Int
    /// How many items other machines had removed.
    public let removed: Int
    /// How many additions and removals were told to the other machines.
    public let sent: Int
    /// File, line and reason for each line that could not be understood, and file, addition and reason for what no line
    /// can tell; all others were.
    public let unreadable: [String]

    /// Takes the counts.
    package init(received: Int, removed: Int, sent: Int, unreadable: [String]) {
        self.received = received
        self.removed = removed
        self.sent = sent
        self.unreadable = unreadable
    }
}
