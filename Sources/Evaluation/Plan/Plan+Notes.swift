import Degradations

extension Plan {
    /// What a reader of the figures has to know about the queries.
    public func notes(material: CorpusMaterial) -> [String] {
        var names: Set<String> = []
        for family in file.families {
            for member in family.members { names.formUnion(member.chain.map(\.name)) }
        }
        var notes = [
            "Positives are cut from the \(half.rawValue) half of the enrolled tracks of \(file.corpus); both halves "
                + "are enrolled. Negatives are cut from tracks that are never enrolled"
                + (file.negativeFolds.map { folds in
                    " and, in \(folds.count) folds, from enrolled tracks of that half, each put to a catalog without "
                        + "its fold's equivalence classes."
                } ?? ".")
        ]
        if let copies = file.speedCopies {
            notes.append(
                "\(copies.tracks) tracks are enrolled as \(copies.percents.count) copies each, by speed "
                    + "(\(copies.percents.map(formatNumber).joined(separator: ", ")) %); positives are cut from copies, "
                    + "and only the very copy is right.")
        }
        for (name, kind) in [("babble", MaterialKind.speech), ("ambience", .ambience), ("music", .music)] {
            guard names.contains(name), let source = material.provenance[kind] else { continue }
            notes.append("\(name.capitalized) is mixed from \(source).")
        }
        if names.contains("noise") {
            notes.append(
                "SNR is the ratio of mean powers over the full band at the recording's rate. White noise spreads over "
                    + "all of it, so within 0–4 kHz it is about 7.4 dB weaker than stated; pink and brown noise are "
                    + "not. Both figures stand in trials.csv.")
        }
        return notes
    }
}
