import Corpora
import Degradations
import SystemIO

extension Plan {
    package func notes(material: CorpusMaterial) -> [String] {
        if recorded != nil { return recordedNotes }
        var notes =
            !corpus.isDivided
            ? []
            : [
                "Positives are cut from the \(half.rawValue) half of the enrolled tracks of \(corpus.name); both halves "
                    + "are enrolled. Negatives are cut from tracks of that half that are never enrolled"
                    + (file.negativeFolds.map { folds in
                        " and, in \(folds.count) folds, from enrolled tracks of that half, each matched with a catalog without "
                            + "its fold's equivalence classes."
                    } ?? ".")
            ]
        if let copies = file.speedCopies {
            notes.append(
                "\(copies.tracks) tracks are enrolled as \(copies.percents.count) copies each, by speed "
                    + "(\(copies.percents.map(formatNumber).joined(separator: ", ")) %); positives are cut from copies, "
                    + "and only that copy is right.")
        }
        notes += warnings
        notes += absences.map { "\($0). Its conditions are not offered." }
        notes += materialNotes(material)
        if steps.contains(where: { $0.name == Noise.name }) {
            notes.append(
                "SNR is the ratio of the mean powers of mono mix and noise over the full band, up to 22.05 kHz. White noise "
                    + "spreads over all of it, so within 0–4 kHz it is about 7.4 dB weaker than stated; pink and brown "
                    + "noise are not. Both figures are in trials.csv.")
        }
        return notes
    }

    /// Warnings about a corpus that is a folder or not divided: what is missing or unusual.
    public var warnings: [String] {
        guard let folder = corpus.folder else { return corpus.isDivided ? [] : [undividedNote] }
        var warnings = [countsNote(folder)]
        if !folder.isDivided, recorded == nil { warnings.append(undividedNote) }
        warnings += corpus.notes + problemNotes
        for (reason, left) in Dictionary(grouping: leftOut, by: \.reason).sorted(by: { $0.key < $1.key }) {
            let cells = left.prefix(8).map(\.cell).joined(separator: ", ")
            warnings.append(
                "There is \(reason). These cells are left out: \(cells)"
                    + (left.count > 8 ? " and \(left.count - 8) more." : "."))
        }
        return warnings
    }

    /// Whether a note says what the files of a folder are used for.
    package static func isCountsNote(_ note: String) -> Bool { note.starts(with: #/[0-9]+ files?: /#) }

    /// What the files of a folder are used for.
    private func countsNote(_ folder: FolderTracks) -> String {
        let queried = Set(trials.filter(\.isPositive).compactMap(\.source)).count
        let negatives = Set(trials.filter { !$0.isPositive && $0.fold == nil }.compactMap(\.source)).count
        let references = folder.tracks.count(where: \.isEnrolled)
        let others = folder.tracks.count { $0.role == .negative && $0.half == half.other }
        let counts = [
            (references, "references, \(queried) of them queried"), (negatives, "negatives"),
            (others, "for the \(half.other.rawValue) half"),
            (folder.tracks.count - references - negatives - others, "unused"),
            (folder.leftOutCount, "left out"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: "; ")
        return "\((folder.tracks.count + folder.leftOutCount).counting("file")): \(words)."
    }

    /// What this machine cannot make for the queries, and why.
    package var absences: [String] {
        Set(Set(trials.flatMap(\.chain.steps)).compactMap(\.value.absence)).sorted()
    }

    private var undividedNote: String {
        let few =
            corpus.folder?.isUndividedByChoice ?? true
            ? ""
            : "\(corpus.name) has too few different recordings to divide: fewer than \(FolderTracks.leastClasses), or "
                + "too few in a part. "
        let folds = file.negativeFolds.map { folds in
            "Negatives are cut from them too, in \(folds.count) folds, each matched with a catalog without its fold's "
                + "equivalence classes."
        }
        return few + "All are enrolled, and positives are cut from all. "
            + (folds ?? "Silence gives the only negatives, so false accepts are hardly measured.")
    }

    package func materialNotes(_ material: CorpusMaterial) -> [String] {
        let steps = Set(steps)
        return AnyDegradation.kinds.flatMap { kind in
            let needed = Set(steps.filter { $0.name == kind.name }.compactMap(\.materialKind))
            return MaterialKind.allCases.filter(needed.contains).compactMap { material.provenance[$0] }
                .map { "\(kind.name.capitalized) is mixed from \($0)." }
        }
    }

    private var steps: [DegradationTemplate] { file.families.flatMap(\.members).flatMap(\.chain) }
}
