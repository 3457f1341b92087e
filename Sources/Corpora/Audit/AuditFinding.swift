/// Audio that was found twice: in two recordings, or at two places of one.
package struct AuditFinding: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Two recordings that are the same nearly throughout.
        case duplicate
        case sharedSection
        case contamination
        case `repeat`
    }

    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        case confirmed
        /// The matcher accepts them but the waveforms do not confirm it: a person must listen.
        case suspect
    }

    package var kind: Kind
    package var verdict: Verdict
    package var first: String
    /// The other recording; of a repeat the same one.
    package var second: String
    package var firstSeconds: Double
    package var secondSeconds: Double
    package var lengthSeconds: Double
    /// Seconds of the second per second of the first − 1; not 0 if one is faster.
    package var timeSkew: Double
    /// The correlation of the waveforms there, below 4 kHz, −1…1.
    package var correlation: Double
    /// The sharp correlation in standard deviations of chance; nil for repeats.
    package var prominence: Double?
    /// The matcher's best score; nil for repeats, which it is not asked about.
    package var score: Double?
    package var isKnown: Bool

    package init(
        kind: Kind, verdict: Verdict, first: String, second: String, firstSeconds: Double,
        secondSeconds: Double, lengthSeconds: Double, timeSkew: Double, correlation: Double,
        prominence: Double? = nil, score: Double? = nil, isKnown: Bool
    ) {
        self.kind = kind
        self.verdict = verdict
        self.first = first
        self.second = second
        self.firstSeconds = firstSeconds
        self.secondSeconds = secondSeconds
        self.lengthSeconds = lengthSeconds
        self.timeSkew = timeSkew
        self.correlation = correlation
        self.prominence = prominence
        self.score = score
        self.isKnown = isKnown
    }

    /// The two recordings, the same whichever comes first.
    package var pair: Set<String> { [first, second] }
}

extension EquivalenceAudit.Findings {
    /// The recordings that share audio, in classes of two and more, each sorted.
    package var classes: [[String]] {
        let confirmed = findings.filter { $0.verdict == .confirmed && $0.kind != .repeat }
        let ids = Set(confirmed.flatMap { [$0.first, $0.second] }).sorted()
        var classes = EquivalenceClasses(ids: ids)
        for finding in confirmed { classes.join(finding.first, finding.second, offsetSeconds: nil) }
        return Dictionary(grouping: ids) { classes.classID(of: $0) }.values.sorted { $0[0] < $1[0] }
    }
}

extension AuditFinding {
    static func all(
        _ verdict: AuditVerdict, first: EquivalenceAudit.Recording, second: EquivalenceAudit.Recording
    ) -> [AuditFinding] {
        // A contaminated recording stands first: noise before negatives before references.
        let isSwapped = second.part.impurity > first.part.impurity
        let isWhole = verdict.sharedShare >= 0.8 || verdict.isSameRecording
        let kind: Kind =
            first.part != second.part ? .contamination : isWhole ? .duplicate : .sharedSection
        func confirmed(_ passage: SharedPassages.Passage) -> Verdict {
            let isSure = passage.isSure || passage.correlation >= EquivalenceAudit.leastCoefficient
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
