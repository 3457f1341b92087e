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
    private let threshold: Double
    /// How far above the threshold a match is certain at once: of the first searches, and of those that follow.
    ///
    /// Half of it is enough if a second search finds it at the same place.
    private let (firstMargin, margin): (Double, Double)
    /// Whether the latest search was of all since the start.
    private(set) var isFirst = true
    /// The score of a match that a second search must find at the same place.
    var agreedScore: Double { threshold + (isFirst ? firstMargin : margin) / 2 }
    /// The score of a match at once.
    var certainScore: Double { threshold + (isFirst ? firstMargin : margin) }
    private var waiting: (match: Match, startSeconds: Double, seenSeconds: Double)?

    init(settings: StreamSettings, decision: Settings.Decision, startSeconds: Double) {
        threshold = decision.threshold
        firstMargin = decision.margin(windowsPerHour: settings.firstLooksPerHour)
        margin = decision.margin(windowsPerHour: settings.windowsPerHour)
        self.settings = settings
        self.startSeconds = startSeconds
    }

    /// The search at a time of the stream, which is a multiple of `stepSeconds`.
    mutating func look(at now: Double) -> Look? {
        let age = now - startSeconds
        let last = settings.firstLooksSeconds.max() ?? 0
        isFirst = age <= last
        if age <= last {
            guard settings.firstLooksSeconds.contains(where: { abs($0 - age) < 1e-6 }) else { return nil }
            return Look(
                sinceSeconds: startSeconds, isUnskewedOnly: false, candidates: .max, reports: age == last)
        }
        let longest = settings.looks.map(\.windowSeconds).max()
        let due = settings.looks.filter { isMultiple(age - last, of: $0.everySeconds) }
        return due.max { $0.windowSeconds < $1.windowSeconds }.map {
            Look(
                sinceSeconds: now - $0.windowSeconds, isUnskewedOnly: $0.isUnskewedOnly,
                candidates: $0.candidates, reports: $0.windowSeconds == longest)
        }
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
