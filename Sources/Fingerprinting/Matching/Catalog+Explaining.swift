import AudioCore

/// A query with the evidence for its answers.
package struct ExplainedQuery: Sendable {
    /// The query, as the mix of channels that was matched.
    package let query: Query
    /// Its peaks for comparison, by time.
    package let peaks: [Peak]
    /// The answers of `Catalog.match(query:)`, with the terms of each score.
    package let answers: [(match: Match, parts: [(name: String, amount: Double)])]
}

package struct ExplainedAlignment: Sendable {
    package let reference: [Peak]
    /// The pairs that agree, by their indices in `ExplainedQuery.peaks` and `reference`.
    package let pairs: [(query: Int, reference: Int)]
    /// The histogram of delays of pairs of similar frequency, in frames from `-margin` up.
    package let votes: [Int]
    package static let margin = 62
    package static let frameSeconds = FrequencyScale.frameSeconds
}

extension Catalog {
    /// Matches audio as `match(query:)` does, and adds the evidence; takes about twice as long.
    package func explain(_ audio: AudioBuffer) throws -> ExplainedQuery {
        let mix = try matchBestMix(of: QueryAudio(audio)) { try match($0) }.mix
        let query = try Query(QueryAudio(audio), settings: settings, mix: mix)
        let answers = answers(to: query).map { answer in
            (match: match(answer), parts: parts(of: answer.best))
        }
        try contents.throwIfDamaged()
        return ExplainedQuery(
            query: query, peaks: query.peaks.filter { $0.rank < settings.analysis.queryRank },
            answers: answers)
    }

    /// Aligns a query with any place of a reference.
    ///
    /// - Parameters:
    ///   - place: The reference's index in the catalog.
    ///   - offsetSeconds: The reference time at the query's first sample.
    ///   - frequencySkew: f_query / f_reference − 1.
    ///   - timeSkew: Reference seconds per query second − 1.
    package func align(
        _ query: Query, with place: Int, offsetSeconds: Double, frequencySkew: Double, timeSkew: Double
    ) throws -> ExplainedAlignment {
        precondition(entries.indices.contains(place), "no reference \(place) among \(entries.count)")
        let aligned = AlignedPeaks(
            reference: place, startSeconds: offsetSeconds, frequencySkew: frequencySkew, timeSkew: timeSkew,
            in: query, catalog: self, margin: ExplainedAlignment.margin + 1)
        try contents.throwIfDamaged()
        let box = settings.verification.boxFrames
        var votes = [Int](repeating: 0, count: 2 * ExplainedAlignment.margin + 1)
        for pair in aligned.pairs {
            let bin = Int(bounded: pair.delay.rounded()) + ExplainedAlignment.margin
            if votes.indices.contains(bin) { votes[bin] += 1 }
        }
        return ExplainedAlignment(
            reference: aligned.reference,
            pairs: aligned.pairs.filter { abs($0.delay) <= box * $0.frame }
                .map { (query: Int($0.query), reference: Int($0.reference)) },
            votes: votes)
    }

    private func parts(of verified: VerifiedCandidate) -> [(name: String, amount: Double)] {
        guard let full = verified.fullEvidence else { return [] }
        let evidence = Evidence(for: verified, full, bandSet: verified.bandSet)
        return evidence.parts(settings) + [("size of the catalog", -sizeLogOdds)]
    }
}
