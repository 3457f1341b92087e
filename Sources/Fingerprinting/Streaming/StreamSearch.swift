/// When a stream in which nothing is known is looked up, and when what was found is believed.
struct StreamSearch {
    /// One look.
    struct Look {
        /// All since this time of the stream is looked up, in seconds.
        let sinceSeconds: Double
        /// Whether only what is not skewed is looked for.
        let isUnskewedOnly: Bool
        /// How many places are checked at most.
        let candidates: Int
        /// Whether it is reported when nothing is found.
        let reports: Bool
    }

    private let settings: StreamSettings
    private let startSeconds: Double
    private let agreedScore: Double
    private let certainScore: Double
    private var waiting: (match: Match, startSeconds: Double, seenSeconds: Double)?

    /// Begins at a time of the stream; `threshold` is the catalog's.
    init(settings: StreamSettings, threshold: Double, startSeconds: Double) {
        agreedScore = threshold + settings.agreedMargin
        certainScore = threshold + settings.certainMargin
        self.settings = settings
        self.startSeconds = startSeconds
    }

    /// The look to take at a time of the stream, a multiple of `stepSeconds`.
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

    /// The references that are named on what a look found.
    ///
    /// One that is not certain is named when a later look finds it at the same place.
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
