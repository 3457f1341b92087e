import Corpora

/// The plants that an audit found, and its false findings.
struct PlantedOutcome: Sendable, CustomStringConvertible {
    /// A plant and the surest finding of it; nil when findings cover less than half of it together.
    struct Answer: Sendable {
        var plant: AuditPlanting.Plant
        var finding: AuditFinding?
    }

    let answers: [Answer]
    /// Findings between recordings that hold no plant in common and were not found without plants.
    let falseSuspects: [AuditFinding]

    /// Compares the findings with and without plants.
    init(
        planting: AuditPlanting, baseline: EquivalenceAudit.Findings, planted: EquivalenceAudit.Findings
    ) {
        let known = Set(baseline.findings.filter { $0.kind != .repeat }.map(\.pair))
        // Collages consist of the same effects, so two of them may share one.
        let effects = "effects"
        let sources = Dictionary(grouping: planting.plants, by: \.carrier).mapValues { plants in
            Set(plants.map(\.source) + (plants[0].kind == .contamination ? [effects] : []))
        }
        func isRelated(_ one: String, _ other: String) -> Bool {
            one == other || known.contains([one, other])
        }
        let found = planted.findings.filter { $0.kind != .repeat }
        falseSuspects = found.filter { finding in
            let ones = sources[finding.first, default: []].union([finding.first])
            let others = sources[finding.second, default: []].union([finding.second])
            return !ones.contains { one in others.contains { isRelated(one, $0) } }
        }
        answers = planting.plants.map { plant in
            var covered = 0.0
            let matching = found.filter { finding in
                let isFirst = finding.first == plant.carrier
                guard isFirst || finding.second == plant.carrier else { return false }
                guard isRelated(isFirst ? finding.second : finding.first, plant.source) else { return false }
                let begin = isFirst ? finding.firstSeconds : finding.secondSeconds
                let end = min(begin + finding.lengthSeconds, plant.carrierSeconds + plant.lengthSeconds)
                let overlap = end - max(begin, plant.carrierSeconds)
                covered += max(0, overlap)
                return overlap > 0
            }
            guard covered >= 0.5 * plant.lengthSeconds else { return Answer(plant: plant, finding: nil) }
            let best = matching.first { $0.verdict == .confirmed } ?? matching.first
            return Answer(plant: plant, finding: best)
        }
    }

    var found: Int { answers.count { $0.finding != nil } }

    var description: String {
        func place(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
        var lines = answers.map { answer in
            let plant = answer.plant
            let verdict = answer.finding.map { "\($0.verdict.rawValue) \($0.kind.rawValue)" } ?? "MISSED"
            return
                "\(verdict): \(plant.kind.rawValue) of \(plant.source) at \(place(plant.sourceSeconds)) in "
                + "\(plant.carrier) at \(place(plant.carrierSeconds)), \(place(plant.lengthSeconds)), "
                + plant.treatment
        }
        lines += falseSuspects.map {
            "false: \($0.verdict.rawValue) \($0.kind.rawValue) \($0.first) at \(place($0.firstSeconds)) = "
                + "\($0.second) at \(place($0.secondSeconds)), \(place($0.lengthSeconds)), "
                + "correlation \(($0.correlation * 100).rounded() / 100), prominence \($0.prominence ?? 0)"
        }
        let confirmed = answers.count { $0.finding?.verdict == .confirmed }
        lines.append(
            "\(found) of \(answers.count) plants found, \(confirmed) of them confirmed; "
                + "\(falseSuspects.count) false suspects")
        return lines.map { $0 + "\n" }.joined()
    }
}
