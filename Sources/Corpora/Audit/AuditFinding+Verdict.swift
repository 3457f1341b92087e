extension AuditFinding {
    /// What the verdict on two recordings amounts to: a duplicate, passages, a suspicion, or nothing.
    static func all(
        _ verdict: AuditVerdict, first: EquivalenceAudit.Recording, second: EquivalenceAudit.Recording
    ) -> [AuditFinding] {
        // A contaminated recording stands first: noise before negatives before references.
        let isSwapped = second.part.impurity > first.part.impurity
        let isWhole = verdict.sharedShare >= 0.8 || verdict.isSameRecording
        let kind: Kind =
            first.part != second.part ? .contamination : isWhole ? .duplicate : .sharedSection
        func confirmed(_ passage: SharedPassages.Passage) -> Verdict {
            let isSure =
                (passage.prominence ?? 0) >= SharedPassages.sureProminence
                || passage.correlation >= EquivalenceAudit.leastCoefficient
            return isSure ? .confirmed : .suspect
        }
        func finding(_ passage: SharedPassages.Passage, _ verdict: Verdict) -> AuditFinding {
            let rate = Double(EquivalenceAudit.sampleRate)
            let begin = Double(passage.range.lowerBound) / rate
            let other = Double(max(0, passage.secondStart)) / rate
            let length = Double(passage.range.count) / rate
            return AuditFinding(
                kind: kind, verdict: verdict, first: isSwapped ? second.id : first.id,
                second: isSwapped ? first.id : second.id, firstSeconds: isSwapped ? other : begin,
                secondSeconds: isSwapped ? begin : other,
                lengthSeconds: isSwapped ? length * (1 + passage.timeSkew) : length,
                timeSkew: isSwapped ? 1 / (1 + passage.timeSkew) - 1 : passage.timeSkew,
                correlation: passage.correlation, prominence: passage.prominence, score: passage.score,
                isKnown: first.classID != nil && first.classID == second.classID)
        }
        if let whole = verdict.whole { return [finding(whole, .confirmed)] }
        if isWhole, let longest = verdict.passages.max(by: { $0.range.count < $1.range.count }) {
            return [finding(longest, confirmed(longest))]
        }
        if !verdict.passages.isEmpty { return verdict.passages.map { finding($0, confirmed($0)) } }
        guard let suspicion = verdict.suspicion else { return [] }
        return [finding(suspicion, verdict.offsetSeconds == nil ? .suspect : .confirmed)]
    }

    init(_ found: RepeatFinder.Repeat, of recording: EquivalenceAudit.Recording) {
        let rate = Double(EquivalenceAudit.sampleRate)
        self.init(
            kind: .repeat, verdict: .confirmed, first: recording.id, second: recording.id,
            firstSeconds: Double(found.range.lowerBound) / rate,
            secondSeconds: Double(found.range.lowerBound + found.distance) / rate,
            lengthSeconds: Double(found.range.count) / rate, timeSkew: 0, correlation: found.correlation,
            isKnown: true)
    }
}

extension EquivalenceAudit.Part {
    fileprivate var impurity: Int {
        switch self {
        case .reference: 0
        case .negative: 1
        case .noise: 2
        }
    }
}
