/// Audio that was found twice: in two recordings, or at two places of one.
package struct AuditFinding: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Two recordings that are the same nearly throughout.
        case duplicate
        case sharedSection
        case contamination
        /// A passage that comes again in the same recording.
        case `repeat`
    }

    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        case confirmed
        /// The matcher takes them for the same and the waveforms do not bear it out: a person must listen.
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
    /// Seconds of the second per second of the first − 1: other than 0 where one is played faster.
    package var timeSkew: Double
    /// The correlation of the waveforms there, below 4 kHz, −1…1.
    package var correlation: Double
    /// How far a sharp correlation stands out of chance there, in its standard deviations; nil for repeats.
    package var prominence: Double?
    /// The matcher's best score; nil for repeats, which it is not asked for.
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
