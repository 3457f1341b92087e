import Synchronization

/// References that another process searches.
///
/// An answer has an excerpt of the peaks that follow, by which the reference is followed here.
package final class RemoteCatalog: StreamCatalog {
    package struct Answer: Sendable {
        /// Its `referenceIndex` has no meaning.
        package let match: Match
        /// The reference's peaks near the match, as `Catalog.excerpt` makes them.
        package let excerpt: Signature

        package init(match: Match, excerpt: Signature) {
            self.match = match
            self.excerpt = excerpt
        }
    }

    /// All answers to a query, and the size of the catalog in hours.
    package typealias Ask = @Sendable (Signature) throws -> (answers: [Answer], hours: Double)

    fileprivate struct State {
        /// The number of each reference that may be followed.
        var numbers: [String: Int] = [:]
        var excerpts: [Int: Reference] = [:]
        var nextNumber = 0
        /// The excerpts, in the order of `order`.
        var local: Catalog?
        var order: [Int] = []
        var followed: Set<Int> = []
        var last: (peaks: [Peak], matches: [Match])?
    }

    let settings = Settings()
    private let ask: Ask
    private let state = Mutex(State())

    package init(ask: @escaping Ask) { self.ask = ask }

    var threshold: Double { settings.decision.threshold }

    /// An excerpt states the length of its whole reference.
    func durationSeconds(at number: Int) -> Double {
        state.withLock { $0.excerpts[number]?.signature.durationSeconds ?? .infinity }
    }

    /// The looks of a stream: fewer than in a catalog at hand, because each is a request.
    package static func streamSettings(lostSeconds: Double) -> StreamSettings {
        var settings = StreamSettings()
        settings.firstLooksSeconds = [3, 4, 6, 8, 12]
        settings.looks = settings.looks.filter { $0.everySeconds >= 5 }
        settings.lostSeconds = lostSeconds
        return settings
    }

    /// Asks for all references; a quick look at few of them would be a request too, so it finds nothing.
    func match(_ query: Query, unskewedOnly: Bool, candidates: Int) throws -> [Match] {
        guard !unskewedOnly else { return [] }
        state.withLock { $0.followed = [] }
        return try matchAll(query)
    }

    /// Asks for all references.
    ///
    /// While a reference is followed, a fault finds nothing: it is no reason to lose the reference.
    func matchAll(_ query: Query) throws -> [Match] {
        guard !query.peaks.isEmpty else { return [] }
        // A found reference is looked up again at once, for all that share the passage.
        if let last = state.withLock({ $0.last }), last.peaks == query.peaks { return last.matches }
        do {
            let (answers, hours) = try ask(query.signature)
            return try state.withLock { try $0.take(answers, of: query, hours: hours, settings: settings) }
        } catch {
            guard state.withLock({ $0.followed.isEmpty }) else { return [] }
            throw error
        }
    }

    func match(_ query: Query, expectedAt places: [Candidate]) throws -> [Match] {
        let (local, order) = state.withLock { state in
            state.followed = Set(places.map(\.reference))
            return (state.local, state.order)
        }
        guard let local else { return [] }
        let expected = places.compactMap { place in
            order.firstIndex(of: place.reference).map { index in
                Candidate(
                    reference: index, referenceFrame: place.referenceFrame, queryFrame: place.queryFrame,
                    octaves: place.octaves, votes: place.votes)
            }
        }
        return try local.match(query, expectedAt: expected).map { match in
            var match = match
            match.referenceIndex = order[match.referenceIndex]
            return match
        }
    }
}

extension RemoteCatalog {
    func expectedPeaks(
        of reference: Int, on line: PassageLine, in query: Query, start: Int, _ frames: Range<Double>
    ) -> [PassageEvidence.ExpectedPeak] {
        let (local, place) = state.withLock { ($0.local, $0.order.firstIndex(of: reference)) }
        guard let local, let place else { return [] }
        return local.expectedPeaks(of: place, on: line, in: query, start: start, frames)
    }
}

extension RemoteCatalog.State {
    /// Numbers the references of the answers and keeps their excerpts, beside those that are followed.
    fileprivate mutating func take(
        _ answers: [RemoteCatalog.Answer], of query: Query, hours: Double, settings: Settings
    ) throws -> [Match] {
        var kept = followed
        let matches = answers.map { answer in
            var match = answer.match
            let id = match.referenceID
            let number = numbers[id] ?? nextNumber
            if number == nextNumber { nextNumber += 1 }
            numbers[id] = number
            kept.insert(number)
            excerpts[number] = Reference(id: id, signature: answer.excerpt)
            match.referenceIndex = number
            return match
        }
        numbers = numbers.filter { kept.contains($0.value) }
        excerpts = excerpts.filter { kept.contains($0.key) }
        order = excerpts.keys.sorted()
        local = try Catalog(references: order.compactMap { excerpts[$0] }, settings: settings)
            .asPart(ofHours: hours)
        last = (query.peaks, matches)
        return matches
    }
}
