/// The schedule of searches in a stream without a followed reference, and the acceptance of their matches.
struct StreamSearch {
    struct Look {
        /// The start of the searched part of the stream, in seconds.
        let sinceSeconds: Double
        let isUnskewedOnly: Bool
        let candidates: Int
        /// Whether to report an event when nothing matches.
        let reports: Bool
    }

    private let settings: StreamSettings
    private let startSeconds: Double
    /// The score of a match that a second search must find at the same place.
    let agreedScore: Double
    /// The score of a match at once.
    let certainScore: Double
    private var waiting: (match: Match, startSeconds: Double, seenSeconds: Double)?

    init(settings: StreamSettings, decision: Settings.Decision, startSeconds: Double) {
        let margin = decision.margin(windowsPerHour: settings.windowsPerHour)
        certainScore = decision.threshold + margin
        agreedScore = decision.threshold + margin / 2
        self.settings = settings
        self.startSeconds = startSeconds
    }

    /// The search at a time of the stream, which is a multiple of `stepSeconds`.
    func look(at now: Double) -> Look? {
        let age = now - startSeconds
        let last = settings.firstLooksSeconds.max() ?? 0
        if age <= last {
            guard settings.firstLooksSeconds.contains(where: { abs($0 - age) < 1e-6 }) else { return nil }
            return Look(
                sinceSeconds: startSeconds, isUnskewedOnly: false, candidates: .max, reports: age == last)
        }
        if isMultiple(age - last, of: settings.fullLookSeconds) {
            return Look(
                sinceSeconds: now - settings.fullWindowSeconds, isUnskewedOnly: false,
                candidates: settings.fullCandidates, reports: true)
        }
        guard isMultiple(age - last, of: settings.quickLookSeconds) else { return nil }
        return Look(
            sinceSeconds: now - settings.quickWindowSeconds, isUnskewedOnly: true,
            candidates: settings.quickCandidates, reports: false)
    }

    private func isMultiple(_ seconds: Double, of period: Double) -> Bool {
        abs((seconds / period).rounded() * period - seconds) < 1e-6
    }

    /// The accepted matches of a search.
    ///
    /// A match that is not certain is accepted when a later search finds it at the same place.
    mutating func named(of matches: [Match], startSeconds start: Double, at now: Double) -> [Match] {
        let accepted = matches.filter { $0.score >= agreedScore }
        guard let best = accepted.first else { return [] }
        if best.score >= certainScore { return accepted }
        defer { waiting = (best, start, now) }
        guard let waiting, waiting.match.referenceIndex == best.referenceIndex else { return [] }
        let moved = (start - waiting.startSeconds) * (1 + best.timeSkew)
        let isSame =
            abs(best.offsetSeconds - waiting.match.offsetSeconds - moved) <= settings.agreementSeconds
        return isSame ? accepted : []
    }
}
