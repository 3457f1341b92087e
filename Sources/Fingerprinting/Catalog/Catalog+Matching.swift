import AudioCore

extension Catalog {
    /// Looks up audio: the references it may be part of, best first, one entry each.
    ///
    /// Up to `Settings.Decision.answers` are given, those below the threshold too (`isAccepted` tells).
    /// Audio shorter than 0.3 s, silence and an empty catalog give none. Audio whose channels cancel in
    /// their mean is looked up again: two by half their difference, which is their mean before one of them was
    /// inverted; more by the first. So are two channels that only oppose each other, when their mean is not
    /// found.
    ///
    /// - Throws: `FingerprintingError` for a sample that is not finite, a rate outside 1000…768,000 Hz, or a
    ///   catalog file that turns out to be damaged.
    public func match(query audio: AudioBuffer) throws -> [Match] {
        let query = try Query(audio, settings: settings)
        let matches = try match(query)
        let isFound = matches.first?.isAccepted ?? false
        guard query.channelsCancel || (query.channelsOppose && !isFound) else { return matches }
        let mix: ChannelMix = audio.channelCount == 2 ? .difference : .first
        let others = try match(Query(audio, settings: settings, mix: mix))
        return (others.first?.score ?? -.infinity) >= (matches.first?.score ?? -.infinity) ? others : matches
    }

    /// Looks up an analysed query.
    ///
    /// - Throws: `FingerprintingError` when it was analysed with other settings, or the catalog's file turns out
    ///   to be damaged.
    public func match(_ query: Query) throws -> [Match] {
        guard query.analysisIdentity == settings.analysis.identity else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the query was made with settings of analysis other than the catalog's")
        }
        return try matches(of: query) { search in withVoteTable { search.run(&$0) } }
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

    private func matches(of query: Query, _ verdicts: (inout Search) -> [Verdict]) throws -> [Match] {
        guard query.durationSeconds >= settings.decision.shortestQuerySeconds, !query.peaks.isEmpty,
            !entries.isEmpty
        else { return [] }
        var search = Search(catalog: self, query: query)
        let matches = Decision(settings: settings.decision).rank(verdicts(&search)).map(report)
        try contents.throwIfDamaged()
        return matches
    }

    /// The pairs of query peak and reference peak that a match of this query rests on.
    ///
    /// Costs about as much as checking one candidate; empty when the match is not of this query and catalog, or
    /// the catalog's file turns out to be damaged.
    public func matchedPeaks(of match: Match, in query: Query) -> [(query: Peak, reference: Peak)] {
        guard entries.indices.contains(match.referenceIndex) else { return [] }
        var peaks: [Peak] = []
        peakStore.peaks(of: match.referenceIndex, into: &peaks)
        let queryPeaks = query.peaks.filter { $0.rank < settings.analysis.queryRank }
        let start = (match.offsetSeconds - match.latenessSeconds) / settings.analysis.frameSeconds
        var verifier = Verifier(
            query: QueryPeaks(queryPeaks, ranks: settings.analysis.queryRank),
            queryFrameCount: query.frameCount,
            settings: settings.verification)
        let alignment = Alignment(
            shift: Float(start - start.rounded(.down)), timeSkew: Float(match.timeSkew),
            octaves: Decision.octaves(skew: match.frequencySkew))
        let candidate = Candidate(
            reference: match.referenceIndex, referenceFrame: Int(start.rounded(.down)), queryFrame: 0,
            octaves: 0, votes: 0)
        let pairs = peaks.withUnsafeBufferPointer {
            verifier.pairs(at: alignment, of: candidate, peaks: $0)
        }
        return pairs.map { (query: queryPeaks[Int($0.query)], reference: peaks[Int($0.reference)]) }
    }

    private func report(_ answer: Decision.Answer) -> Match {
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
