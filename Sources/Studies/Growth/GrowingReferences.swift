import AudioCore
import Corpora
import Evaluation

/// The real references of a corpus in the order in which a growing catalog takes them up.
///
/// Queries are cut from what the smallest catalog holds, so that every catalog is asked the same and each
/// is right to answer the same. Recordings of one equivalence class stay together; those of the half come
/// first.
package struct GrowingReferences: Sendable {
    /// The references, in order.
    package let tracks: [Track]
    /// The corpus, in which only the smallest catalog's recordings are left in the half that queries are
    /// cut from.
    package let corpus: Corpus

    /// Orders the enrolled recordings of `corpus` by `seed`.
    ///
    /// - Parameter smallestHours: the length of the smallest catalog.
    /// - Throws: ``MeasurementError`` when nothing is enrolled.
    package init(of corpus: Corpus, half: CorpusHalf, seed: UInt64, smallestHours: Double) throws {
        var classes: [[Track]] = []
        for isHalf in [true, false] {
            let members = Dictionary(
                grouping: corpus.tracks.filter { $0.isEnrolled && ($0.role == .enrolled(half)) == isHalf },
                by: \.classID)
            var names = members.keys.sorted()
            var generator = SeededGenerator(seed: seed, "growth", isHalf ? "half" : "rest")
            names.shuffle(using: &generator)
            classes += names.map { members[$0] ?? [] }
        }
        tracks = classes.flatMap(\.self)
        guard let first = tracks.first, first.role == .enrolled(half) else {
            throw MeasurementError(
                "the corpus \(corpus.name) has no recording of the \(half.rawValue) half to enrol")
        }
        let others: CorpusHalf = half == .test ? .tuning : .test
        let held = Set(tracks.prefix(Self.count(of: tracks, hours: smallestHours)).map(\.id))
        var changed = corpus
        for place in changed.tracks.indices where changed.tracks[place].role == .enrolled(half) {
            if !held.contains(changed.tracks[place].id) { changed.tracks[place].role = .enrolled(others) }
        }
        self.corpus = changed
    }

    /// How many references a catalog of so many hours holds: whole classes until it is full, or all.
    package func count(hours: Double) -> Int { Self.count(of: tracks, hours: hours) }

    private static func count(of tracks: [Track], hours: Double) -> Int {
        var seconds = 0.0
        for (place, track) in tracks.enumerated() {
            let isNewClass = place == 0 || tracks[place - 1].classID != track.classID
            if isNewClass, seconds >= hours * 3600 { return place }
            seconds += track.durationSeconds
        }
        return tracks.count
    }
}
