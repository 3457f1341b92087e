import SystemIO

/// The recordings of a folder with their roles, and notes for the reader of the figures.
package struct FolderTracks {
    /// In the order of their digests, independent of names and places.
    package let tracks: [Track]
    /// Whether ``SplitRule`` divides them; else all of them are enrolled and queried.
    package let isDivided: Bool
    package let notes: [String]
    /// Byte-for-byte duplicates, by id, with the file that is used for them.
    package let copies: [String: String]
    package let leftOut: [String: String]
    /// The number of audio files that are no track.
    package let leftOutCount: Int
    /// Whether it was asked for that ``SplitRule`` does not divide them.
    package let isUndividedByChoice: Bool

    package static let leastClasses = 12
    /// The fewest classes of negatives and of enrolled recordings in each half of a division.
    private static let leastNegatives = 2
    private static let leastEnrolled = 3

    /// Gives roles.
    ///
    /// - Throws: ``CorpusError`` when no recording is long enough, saying what became of each file.
    init(
        _ lock: CorpusLock, kept: FolderLock, contents: FolderContents, folder: CorpusRecipe.Folder
    ) throws {
        let paths = Dictionary(contents.files.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let offered = Track.tracks(of: lock) { paths[$0.id]?.path }
            .sorted { (paths[$0.id]?.sha256 ?? "") < (paths[$1.id]?.sha256 ?? "") }
        let files = contents.leftOut + kept.leftOut.sorted { $0.id < $1.id }
        leftOut = Dictionary(files.map { ($0.id, $0.reason) }, uniquingKeysWith: { first, _ in first })
        copies = contents.copies
        let short = lock.files.filter { $0.durationSeconds < lock.minimumSeconds }.map(\.id)
        leftOutCount = files.count + short.count + copies.count
        isUndividedByChoice = folder.isUndivided
        var notes = Self.notes(
            files.map { "\($0.id): \($0.reason)" }, "unusable and left out")
        notes += Self.notes(
            short, "shorter than \(formatNumber(lock.minimumSeconds)) s and left out")
        notes += Self.notes(
            copies.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" },
            "a duplicate of the file named after it, and not used",
            "duplicates of the files named after them, and not used")
        guard offered.contains(where: { $0.corpusRole == .reference }) else {
            let found =
                contents.files.isEmpty && files.isEmpty
                ? "there is no audio file in it" : notes.joined(separator: " ")
            throw CorpusError(.unreadable, "\(folder.path): no recording can be enrolled: \(found)")
        }
        if let reason = kept.notCompared {
            notes.append(
                "The recordings were not compared with each other (\(reason)). An answer that names another copy "
                    + "of a recording counts as wrong.")
        }
        isDivided = !folder.isUndivided && Self.canDivide(offered)
        tracks = isDivided ? offered : offered.map(\.undivided)
        self.notes = notes
    }

    private static func canDivide(_ tracks: [Track]) -> Bool {
        func classes(_ isCounted: (Track) -> Bool) -> Int {
            Set(tracks.filter(isCounted).map(\.classID)).count
        }
        return classes { _ in true } >= leastClasses
            && CorpusHalf.allCases.allSatisfy { half in
                classes { $0.role == .negative && $0.half == half } >= leastNegatives
                    && classes { $0.role == .enrolled(half) } >= leastEnrolled
            }
    }

    private static func notes(_ items: [String], _ one: String, _ several: String? = nil) -> [String] {
        guard !items.isEmpty else { return [] }
        let shown = 12
        let what = items.count == 1 ? "1 file is \(one)" : "\(items.count) files are \(several ?? one)"
        let more = items.count > shown ? "; and \(items.count - shown) more" : ""
        return ["\(what): \(items.prefix(shown).joined(separator: "; "))\(more)."]
    }
}
