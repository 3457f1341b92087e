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

    /// Warnings about a folder corpus: what is missing or unusual.
    public var warnings: [String] {
        guard let folder = corpus.folder else { return [] }
        var warnings = folder.isDivided || recorded != nil ? [] : [fewNote]
        warnings += corpus.notes
        for (reason, left) in Dictionary(grouping: leftOut, by: \.reason).sorted(by: { $0.key < $1.key }) {
            let cells = left.prefix(8).map(\.cell).joined(separator: ", ")
            warnings.append(
                "There is \(reason). These cells are left out: \(cells)"
                    + (left.count > 8 ? " and \(left.count - 8) more." : "."))
        }
        return warnings
    }

    /// What this machine cannot make for the queries, and why.
    package var absences: [String] {
        Set(Set(trials.flatMap(\.chain.steps)).compactMap(\.value.absence)).sorted()
    }

    private var fewNote: String {
        let folds = file.negativeFolds.map { folds in
            "Negatives are cut from them too, in \(folds.count) folds, each matched with a catalog without its fold's "
                + "equivalence classes."
        }
        return
            "\(corpus.name) has too few different recordings to divide: fewer than \(FolderTracks.leastClasses), or "
            + "too few in a part. All are enrolled, and positives are cut from all. "
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
