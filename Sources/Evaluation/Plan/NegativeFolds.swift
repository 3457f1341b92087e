import AudioCore

/// Divides the classes of a half into folds, each of which is left out of one catalog.
///
/// Queries cut from a class that is left out are negatives against that catalog: there are as many
/// recordings to be mistaken about as there are recordings to be found. The fold of a class
/// depends on its name and the number of folds alone.
public struct NegativeFolds: Sendable, Hashable {
    /// The number of folds, one of ``counts``.
    public let count: Int

    /// How many folds there can be; each costs a catalog.
    public static let counts = 2...100

    /// Divides into `count` folds.
    public init(count: Int) {
        precondition(Self.counts.contains(count), "\(count) folds")
        self.count = count
    }

    /// The fold, from 0, that the equivalence class called `classID` falls in.
    public func fold(ofClass classID: String) -> Int {
        Int(StableHash.of("negative fold", classID) % UInt64(count))
    }
}

extension Corpus {
    /// The enrolled tracks of the catalog for a fold: all but that fold's classes of `half`; nil leaves none out.
    func references(leavingOut fold: Int?, of folds: NegativeFolds?, half: CorpusHalf) -> [Track] {
        let enrolled = tracks.filter(\.isEnrolled)
        guard let fold, let folds else { return enrolled }
        return enrolled.filter { $0.role != .enrolled(half) || folds.fold(ofClass: $0.classID) != fold }
    }
}
