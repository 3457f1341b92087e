import AudioCore
import Corpora

/// Divides the classes of a half into folds, each of which is left out of one catalog.
///
/// Queries cut from a class that is left out are negatives against that catalog. So every enrolled recording also
/// gives negatives. The fold of a class depends on its name and the number of folds alone.
package struct NegativeFolds: Sendable, Hashable {
    package let count: Int

    /// Each fold costs a catalog.
    package static let counts = 2...100

    package init(count: Int) {
        precondition(Self.counts.contains(count), "\(count) folds")
        self.count = count
    }

    /// The fold, from 0, that the equivalence class called `classID` falls in.
    package func fold(ofClass classID: String) -> Int {
        Int(StableHash.of("negative fold", classID) % UInt64(count))
    }
}

extension Corpus {
    /// The enrolled tracks of the catalog for a fold: all but that fold's classes of `half`; nil leaves none out.
    func references(leavingOut fold: Int?, of folds: NegativeFolds?, half: CorpusHalf) -> [Track] {
        let enrolled = tracks.filter(\.isEnrolled)
        guard let fold, let folds else { return enrolled }
        let foldOf = self.fold(in: folds)
        return enrolled.filter { $0.role != .enrolled(half) || foldOf($0) != fold }
    }

    /// The folds that give negatives to a corpus that is not divided.
    ///
    /// Nil if none are needed, or if a single class cannot be left out.
    func foldsOfFew(for file: PlanFile) -> NegativeFolds? {
        guard !isDivided, file.negativeFolds == nil, file.speedCopies == nil,
            !tracks.contains(where: { $0.role == .negative })
        else { return nil }
        let classes = Set(tracks.filter(\.isEnrolled).map(\.classID)).count
        return classes < 2 ? nil : NegativeFolds(count: min(5, classes))
    }

    /// Gives the fold that leaves out a track.
    ///
    /// In a folder or an exam the classes take turns, so that no fold is empty and names do not matter. Otherwise
    /// the name of the class decides, so that folds stay when recordings are added.
    func fold(in folds: NegativeFolds) -> @Sendable (Track) -> Int {
        guard folder != nil || !isDivided else { return { folds.fold(ofClass: $0.classID) } }
        var ranks: [String: Int] = [:]
        for track in tracks where track.isEnrolled && ranks[track.classID] == nil {
            ranks[track.classID] = ranks.count
        }
        return { [ranks] in (ranks[$0.classID] ?? 0) % folds.count }
    }
}
