import AudioCore
import Corpora
import Evaluation

/// The real references of a corpus, in the order in which a growing catalog enrols them.
///
/// Queries are cut from references in the smallest catalog. So every catalog gets the same queries and has the same
/// right answers. Recordings of one equivalence class stay together; those of the half come first.
package struct GrowingReferences: Sendable {
    package let tracks: [Track]
    /// The corpus; its half for queries holds only the recordings of the smallest catalog.
    package let corpus: Corpus

    /// Orders the enrolled recordings of `corpus` by `seed`.
    ///
    /// - Parameter smallestHours: the length of the smallest catalog.
    /// - Throws: ``MeasurementError`` if nothing is enrolled.
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

    /// The number of references in a catalog of `hours`: whole classes until it is full, or all.
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
