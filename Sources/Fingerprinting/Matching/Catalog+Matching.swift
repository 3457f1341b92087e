import AudioCore

extension Catalog {
    /// Matches audio: the references that may contain it, best first, each once.
    ///
    /// Returns up to `most` matches, by default `Settings.Decision.answers`, also those below the threshold (see
    /// `Match.isAccepted`). With `most`, more places are checked for more answers.
    /// Then each match has a `logLikelihoodDeficit`, and the first one also fits the beginning and the end of the query.
    /// Audio shorter than 0.3 s, silence and an empty catalog give no matches.
    ///
    /// Audio whose channels cancel in their mean is also matched in another mix. For two channels that is half their
    /// difference, the mean before one of them was inverted; for more it is the first channel. The same happens when
    /// two channels have more power in their difference, and their mean has no match.
    ///
    /// - Throws: `FingerprintingError` for a sample that is not finite, a rate outside 1000…768,000 Hz, or a damaged
    ///   catalog file.
    public func match(query audio: AudioBuffer, most: Int? = nil) throws -> [Match] {
        try matchBestMix(of: QueryAudio(audio)) { try match($0, most: most) }.matches
    }

    /// Matches audio with every reference that contains it, as ``matchAll(_:)`` does.
    ///
    /// - Throws: The errors of ``match(query:most:)``.
    public func matchAll(query audio: AudioBuffer) throws -> [Match] {
        try matchBestMix(of: QueryAudio(audio), by: matchAll).matches
    }

    /// Matches audio in the mix of channels with the best match.
    func matchBestMix(
        of audio: QueryAudio, by match: (Query) throws -> [Match]
    ) throws -> (mix: ChannelMix, matches: [Match], durationSeconds: Double) {
        // A query is large: one at a time is in memory.
        let mean = try matchMix(.mean, of: audio, by: match)
        let isFound = mean.matches.first?.isAccepted ?? false
        guard mean.channelsCancel || (mean.channelsOppose && !isFound) else {
            return (.mean, mean.matches, mean.durationSeconds)
        }
        let mix: ChannelMix = audio.channelCount == 2 ? .difference : .first
        let others = try matchMix(mix, of: audio, by: match).matches
        let isBetter = (others.first?.score ?? -.infinity) >= (mean.matches.first?.score ?? -.infinity)
        return isBetter ? (mix, others, mean.durationSeconds) : (.mean, mean.matches, mean.durationSeconds)
    }

    private func matchMix(
        _ mix: ChannelMix, of audio: QueryAudio, by match: (Query) throws -> [Match]
    ) throws -> (matches: [Match], durationSeconds: Double, channelsCancel: Bool, channelsOppose: Bool) {
        let query = try Query(audio, settings: settings, mix: mix)
        return (try match(query), query.durationSeconds, query.channelsCancel, query.channelsOppose)
    }

    /// Matches an analysed query.
    ///
    /// - Throws: `FingerprintingError` for a query of other settings, or a damaged catalog file.
    public func match(_ query: Query, most: Int? = nil) throws -> [Match] {
        try requireAnalysis(of: query)
        guard let most else { return try matches(of: query, fully) }
        return try compare(try widened(query, most: most), in: query, bestFirst: true)
    }

    private func requireAnalysis(of query: Query) throws {
        guard query.analysisIdentity == settings.analysis.identity else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the query was made with settings of analysis other than the catalog's")
        }
    }

    private func widened(_ query: Query, most: Int, isDecidedElsewhere: Bool = false) throws -> [Match] {
        try matches(of: query, most: most) { search in
            search.widen(references: most)
            search.isDecidedElsewhere = isDecidedElsewhere
            return voteTables.withTable { search.run(&$0) }
        }
    }

    /// Matches an analysed query with every reference that contains it, however many share the passage.
    ///
    /// Checks more places until fewer than half of the answers are accepted. A reference that contains only the
    /// beginning or the end of the query is not accepted beside one that contains all of it. The order is that of
    /// quality, without regard to `logLikelihoodDeficit`.
    ///
    /// - Throws: The errors of ``match(_:most:)``.
    public func matchAll(_ query: Query) throws -> [Match] {
        guard var search = try start(query) else { return [] }
        return try finish(&search, query)
    }

    /// Does the quick phase of a search that ``finish(_:_:)`` ends; nil for a query or a catalog without any match.
    ///
    /// - Throws: The errors of ``match(_:most:)``.
    func start(_ query: Query) throws -> Search? {
        try requireAnalysis(of: query)
        try contents.throwIfDamaged()
        guard isAnswerable(query) else { return nil }
        var search = Search(catalog: self, query: query)
        voteTables.withTable { search.start(&$0) }
        return search
    }

    func finish(_ search: inout Search, _ query: Query) throws -> [Match] {
        let isDecidedElsewhere = search.isDecidedElsewhere
        // A file that was cut short must not be touched.
        try contents.throwIfDamaged()
        var matches = ranked(voteTables.withTable { search.finish(&$0) }).map(match)
        try contents.throwIfDamaged()
        guard matches.first?.isAccepted == true else { return matches }
        matches = try compare(matches, in: query)
        var found = matches.count { $0.isAccepted }
        var most = 0
        while found > 1, 2 * found > most {
            most = max(2 * settings.decision.answers, 4 * found)
            matches = try compare(
                try widened(query, most: most, isDecidedElsewhere: isDecidedElsewhere), in: query)
            found = matches.count { $0.isAccepted }
        }
        matches = matches.map(\.withoutAPart)
        return matches.filter(\.isAccepted) + matches.filter { !$0.isAccepted }
    }

    /// Matches an analysed query with less effort, for streams that match again later.
    ///
    /// - Parameters:
    ///   - unskewedOnly: Whether to search only without skew.
    ///   - candidates: The most candidates to check in each phase.
    func match(_ query: Query, unskewedOnly: Bool, candidates: Int) throws -> [Match] {
        try matches(of: query) { search in
            search.limit(candidates: candidates)
            return voteTables.withTable { unskewedOnly ? search.runQuickly(&$0) : search.run(&$0) }
        }
    }

    /// Matches a window of a recording, which other windows overlap: scores few candidates.
    func matchWindow(_ query: Query, unskewedOnly: Bool) throws -> [Match] {
        try matches(of: query) { search in
            search.limitToWindow()
            return voteTables.withTable { unskewedOnly ? search.runQuickly(&$0) : search.run(&$0) }
        }
    }

    /// Checks only the given places of a query, and compares the references there.
    func match(_ query: Query, expectedAt places: [Candidate]) throws -> [Match] {
        let matches = try matches(of: query, most: places.count) { search in
            search.widen(references: places.count)
            return search.confirm(places)
        }
        return try compare(matches, in: query)
    }

    private func fully(_ search: inout Search) -> [VerifiedCandidate] {
        voteTables.withTable { search.run(&$0) }
    }

    private func matches(
        of query: Query, most: Int? = nil, _ run: (inout Search) -> [VerifiedCandidate]
    ) throws -> [Match] {
        // A file that was cut short must not be touched.
        try contents.throwIfDamaged()
        let matches = answers(to: query, most: most, run).map(match)
        try contents.throwIfDamaged()
        return matches
    }

    /// A reference at its best place, and its other places with nearly the same score.
    struct Answer {
        let best: VerifiedCandidate
        let alternatives: [VerifiedCandidate]
    }

    func answers(to query: Query) -> [Answer] { answers(to: query, fully) }

    private func answers(
        to query: Query, most: Int? = nil, _ run: (inout Search) -> [VerifiedCandidate]
    ) -> [Answer] {
        guard isAnswerable(query) else { return [] }
        var search = Search(catalog: self, query: query)
        return ranked(run(&search), most: most)
    }

    /// The best place of each reference, best reference first.
    private func ranked(_ verified: [VerifiedCandidate], most: Int? = nil) -> [Answer] {
        let sorted = verified.sorted(by: VerifiedCandidate.precedes)
        var seen: Set<Int> = []
        let best = sorted.filter { seen.insert($0.candidate.reference).inserted }
        return settings.bestFirst(best) { ($0.score ?? -.infinity, $0.prior.logOdds) }
            .prefix(most ?? settings.decision.answers).map { best in
                Answer(best: best, alternatives: sorted.filter { isAlternative($0, to: best) })
            }
    }

    private func isAlternative(_ other: VerifiedCandidate, to best: VerifiedCandidate) -> Bool {
        guard let score = best.score, let otherScore = other.score else { return false }
        return other.candidate.reference == best.candidate.reference
            && abs(other.referenceFrameOfQueryStart - best.referenceFrameOfQueryStart) >= 8
            && otherScore >= score - settings.decision.alternativeMargin
    }

    func isAnswerable(_ query: Query) -> Bool {
        query.durationSeconds >= settings.decision.shortestQuerySeconds && !query.peaks.isEmpty
            && !entries.isEmpty
    }

    /// The pairs of query peak and reference peak that support a match of this query.
    ///
    /// Costs about as much as checking one candidate. Empty when the match is of another catalog, or the catalog's file
    /// is damaged.
    public func matchedPeaks(of match: Match, in query: Query) -> [(query: Peak, reference: Peak)] {
        guard entries.indices.contains(match.referenceIndex) else { return [] }
        let aligned = AlignedPeaks(of: match, in: query, catalog: self)
        let peaks = query.peaks.filter { $0.rank < settings.analysis.queryRank }
        return aligned.pairs.map {
            (query: peaks[Int($0.query)], reference: aligned.reference[Int($0.reference)])
        }
    }

    /// Compares the matches, and sets the deficit of each but the best.
    ///
    /// - Throws: `FingerprintingError` for a damaged catalog file.
    private func compare(_ matches: [Match], in query: Query, bestFirst: Bool = false) throws -> [Match] {
        guard matches.count > 1 else { return matches }
        let comparisons = matches.map { PassageComparison(AlignedPeaks(of: $0, in: query, catalog: self)) }
        try contents.throwIfDamaged()
        return PassageComparison.compare(matches, comparisons, bestFirst: bestFirst)
    }

    /// The public form of an answer.
    func match(_ answer: Answer) -> Match {
        let best = answer.best
        let frameSeconds = settings.analysis.frameSeconds
        let place = best.candidate.reference
        let score = best.score ?? -.infinity
        var match = Match(
            referenceID: contents.table.idOrEmpty(place), referenceIndex: place,
            offsetSeconds: offsetSeconds(of: best), reverberationDelaySeconds: best.reverberationDelaySeconds,
            alternatives: answer.alternatives.map {
                .init(offsetSeconds: offsetSeconds(of: $0), score: $0.score ?? -.infinity)
            },
            offsetErrorSeconds: Double(best.fit.shiftError) * frameSeconds, skewKind: best.prior.kind,
            frequencySkew: Skew.fraction(octaves: best.prior.octaves),
            timeSkew: Skew.fraction(octaves: best.prior.stretchOctaves),
            freeFrequencySkew: Skew.fraction(octaves: Double(best.fit.alignment.octaves)),
            freeTimeSkew: Double(best.fit.alignment.timeSkew),
            frequencySkewError: Double(best.fit.octavesError) * NaturalLogarithmOf2.sixDigits,
            timeSkewError: Double(best.fit.timeSkewError), score: score, isAccepted: score >= threshold,
            matchedPeaks: best.evidence.matchedPeaks, comparedPeaks: best.evidence.peaks,
            peakEvidence: best.evidence.peakLogLikelihood, chanceOfPeak: best.evidence.chanceOfPeak)
        if !match.isAccepted, best.musicScore >= threshold { match.relatedScore = best.musicScore }
        return match
    }

    private func offsetSeconds(of verified: VerifiedCandidate) -> Double {
        verified.referenceFrameOfQueryStart * settings.analysis.frameSeconds
            + verified.reverberationDelaySeconds
    }
}
