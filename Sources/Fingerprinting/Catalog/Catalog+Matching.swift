import AudioCore

extension Catalog {
    /// Looks up audio: the references it may be part of, best first, one entry each.
    ///
    /// Up to `most` are given, by default `Settings.Decision.answers`, those below the threshold too (`isAccepted`
    /// tells). Where `most` is given, more places are checked for more answers, the first is the one that the
    /// end or the beginning of the query speaks for, and `Match.deficit` is stated.
    /// Audio shorter than 0.3 s, silence and an empty catalog give none. Audio whose channels cancel in
    /// their mean is looked up again: two by half their difference, which is their mean before one of them was
    /// inverted; more by the first. So are two channels that only oppose each other, when their mean is not
    /// found.
    ///
    /// - Throws: `FingerprintingError` for a sample that is not finite, a rate outside 1000…768,000 Hz, or a
    ///   catalog file that turns out to be damaged.
    public func match(query audio: AudioBuffer, most: Int? = nil) throws -> [Match] {
        try hear(audio, most: most).matches
    }

    /// Looks up audio, and says as which mix of its channels it was found.
    func hear(_ audio: AudioBuffer, most: Int? = nil) throws -> (query: Query, matches: [Match]) {
        let query = try Query(audio, settings: settings)
        let matches = try match(query, most: most)
        let isFound = matches.first?.isAccepted ?? false
        guard query.channelsCancel || (query.channelsOppose && !isFound) else { return (query, matches) }
        let mix: ChannelMix = audio.channelCount == 2 ? .difference : .first
        let other = try Query(audio, settings: settings, mix: mix)
        let others = try match(other, most: most)
        let isBetter = (others.first?.score ?? -.infinity) >= (matches.first?.score ?? -.infinity)
        return isBetter ? (other, others) : (query, matches)
    }

    /// Looks up an analysed query.
    ///
    /// - Throws: `FingerprintingError` when it was analysed with other settings, or the catalog's file turns out
    ///   to be damaged.
    public func match(_ query: Query, most: Int? = nil) throws -> [Match] {
        guard query.analysisIdentity == settings.analysis.identity else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the query was made with settings of analysis other than the catalog's")
        }
        guard let most else { return try matches(of: query, fully) }
        let matches = try matches(of: query, most: most) { search in
            search.widen(references: most)
            return withVoteTable { search.run(&$0) }
        }
        return contest(matches, in: query)
    }

    /// Looks up an analysed query with less effort, for those who will look again.
    ///
    /// - Parameters:
    ///   - unskewedOnly: whether only what is not skewed is looked for.
    ///   - candidates: how many candidates are checked at most, with and without skew alike.
    func match(_ query: Query, unskewedOnly: Bool, candidates: Int) throws -> [Match] {
        try matches(of: query) { search in
            search.limit(candidates: candidates)
            return withVoteTable { unskewedOnly ? search.runQuickly(&$0) : search.run(&$0) }
        }
    }

    /// Checks the places where a query is expected, and no others.
    func match(_ query: Query, expectedAt places: [Candidate]) throws -> [Match] {
        try matches(of: query) { $0.confirm(places) }
    }

    private func fully(_ search: inout Search) -> [Verdict] { withVoteTable { search.run(&$0) } }

    private func matches(
        of query: Query, most: Int? = nil, _ verdicts: (inout Search) -> [Verdict]
    ) throws -> [Match] {
        let matches = answers(to: query, most: most, verdicts).map(report)
        try contents.throwIfDamaged()
        return matches
    }

    /// What a full search of the usual effort comes to.
    func answers(to query: Query) -> [Decision.Answer] { answers(to: query, fully) }

    private func answers(
        to query: Query, most: Int? = nil, _ verdicts: (inout Search) -> [Verdict]
    ) -> [Decision.Answer] {
        guard query.durationSeconds >= settings.decision.shortestQuerySeconds, !query.peaks.isEmpty,
            !entries.isEmpty
        else { return [] }
        var search = Search(catalog: self, query: query)
        var decision = settings.decision
        if let most { decision.answers = most }
        return Decision(settings: decision).rank(verdicts(&search))
    }

    /// The pairs of query peak and reference peak that a match of this query rests on.
    ///
    /// Costs about as much as checking one candidate; empty when the match is not of this query and catalog, or
    /// the catalog's file turns out to be damaged.
    public func matchedPeaks(of match: Match, in query: Query) -> [(query: Peak, reference: Peak)] {
        guard entries.indices.contains(match.referenceIndex) else { return [] }
        let heard = HeardPeaks(of: match, in: query, catalog: self)
        return heard.pairs.map {
            (query: heard.query[Int($0.query)], reference: heard.reference[Int($0.reference)])
        }
    }

    /// Puts first the accepted match that no other contradicts, and states how much speaks against each of the others.
    private func contest(_ matches: [Match], in query: Query) -> [Match] {
        guard matches.count > 1 else { return matches }
        let contests = matches.map { Contest(HeardPeaks(of: $0, in: query, catalog: self)) }
        var best = 0
        for other in matches.indices.dropFirst() where matches[other].isAccepted {
            let againstBest = contests[other].deficit(of: contests[best])
            if againstBest > 0, againstBest > contests[best].deficit(of: contests[other]) { best = other }
        }
        var order = Array(matches.indices)
        order.insert(order.remove(at: best), at: 0)
        return order.map { place in
            var match = matches[place]
            guard place != best else { return match }
            let deficit = contests[best].deficit(of: contests[place])
            match.deficit = deficit
            // What the threshold asks of the first is asked once: whoever is heard as it is stands or falls with it.
            if matches[best].isAccepted, deficit < Contest.largestChanceDeficit { match.isAccepted = true }
            return match
        }
    }

    /// An answer as callers see it.
    func report(_ answer: Decision.Answer) -> Match {
        let verdict = answer.verdict
        let frameSeconds = settings.analysis.frameSeconds
        let place = verdict.candidate.reference
        let score = verdict.score ?? -.infinity
        return Match(
            referenceID: contents.table.idOrEmpty(place), referenceIndex: place,
            offsetSeconds: offsetSeconds(of: verdict), latenessSeconds: verdict.latenessSeconds,
            alternatives: answer.alternatives.map {
                .init(offsetSeconds: offsetSeconds(of: $0), score: $0.score ?? -.infinity)
            },
            offsetErrorSeconds: Double(verdict.fit.shiftError) * frameSeconds, skewKind: verdict.prior.kind,
            frequencySkew: Decision.skew(octaves: verdict.prior.octaves),
            timeSkew: Decision.skew(octaves: verdict.prior.stretchOctaves),
            freeFrequencySkew: Decision.skew(octaves: Double(verdict.fit.alignment.octaves)),
            freeTimeSkew: Double(verdict.fit.alignment.timeSkew),
            frequencySkewError: Double(verdict.fit.octavesError) * 0.693_147,
            timeSkewError: Double(verdict.fit.timeSkewError), score: score,
            confidence: Decision.confidence(score: score), isAccepted: score >= threshold,
            matchedPeaks: verdict.evidence.matchedPeaks,
            comparedPeaks: verdict.evidence.peaks, peakEvidence: verdict.peakLogLikelihood)
    }

    private func offsetSeconds(of verdict: Verdict) -> Double {
        verdict.referenceFrameOfQueryStart * settings.analysis.frameSeconds + verdict.latenessSeconds
    }
}
