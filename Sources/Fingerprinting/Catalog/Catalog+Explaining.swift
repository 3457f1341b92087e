import AudioCore

/// A query with all that its answers rest on.
package struct ExplainedQuery: Sendable {
    /// The query, as the mix of channels by which it was looked up.
    package let query: Query
    /// The peaks of it that are compared, by time.
    package let peaks: [Peak]
    /// What `Catalog.match(query:)` answers, with the parts each score is the sum of.
    package let answers: [(match: Match, parts: [(name: String, amount: Double)])]
}

/// A query laid on a place of a reference, peak by peak.
package struct LaidPeaks: Sendable {
    /// The reference's peaks about that place, by time.
    package let reference: [Peak]
    /// Which agree, by their places in `ExplainedQuery.peaks` and `reference`.
    package let pairs: [(query: Int, reference: Int)]
    /// How many pairs of peaks of like frequency say that the query lies so many frames later, from `-margin` up.
    package let votes: [Int]
    /// How many frames beside the place votes are counted.
    package static let margin = 62
    /// The width of a vote's bin, in seconds.
    package static let frameSeconds = FrequencyScale.frameSeconds
}

extension Catalog {
    /// Looks up audio as `match(query:)` does, and tells what its answers rest on; at about twice the cost.
    package func explain(_ audio: AudioBuffer) throws -> ExplainedQuery {
        let query = try hear(audio).query
        let answers = answers(to: query).map { answer in
            (match: report(answer), parts: parts(of: answer.verdict, of: query))
        }
        try contents.throwIfDamaged()
        return ExplainedQuery(
            query: query, peaks: query.peaks.filter { $0.rank < settings.analysis.queryRank },
            answers: answers)
    }

    /// Lays a query on a place of a reference, whether it was found there or not.
    ///
    /// - Parameters:
    ///   - place: the reference's place in the catalog.
    ///   - offsetSeconds: the reference time heard at the query's first sample.
    ///   - frequencySkew: f_query / f_reference − 1.
    ///   - timeSkew: reference seconds per query second − 1.
    package func lay(
        _ query: Query, on place: Int, offsetSeconds: Double, frequencySkew: Double, timeSkew: Double
    ) throws -> LaidPeaks {
        precondition(entries.indices.contains(place), "no reference \(place) among \(entries.count)")
        let heard = HeardPeaks(
            reference: place, startSeconds: offsetSeconds, frequencySkew: frequencySkew, timeSkew: timeSkew,
            in: query, catalog: self, margin: LaidPeaks.margin + 1)
        try contents.throwIfDamaged()
        let box = settings.verification.boxFrames
        var votes = [Int](repeating: 0, count: 2 * LaidPeaks.margin + 1)
        for pair in heard.pairs {
            let bin = Int(pair.lateness.rounded()) + LaidPeaks.margin
            if votes.indices.contains(bin) { votes[bin] += 1 }
        }
        return LaidPeaks(
            reference: heard.reference,
            pairs: heard.pairs.filter { abs($0.lateness) <= box }
                .map { (query: Int($0.query), reference: Int($0.reference)) },
            votes: votes)
    }

    private func parts(of verdict: Verdict, of query: Query) -> [(name: String, amount: Double)] {
        guard let findings = verdict.findings else { return [] }
        let features = Features(
            verdict.evidence, verdict.prior, findings, lengthSeconds: query.durationSeconds,
            settings: settings.verification)
        return features.parts(settings.weights) + [("size of the catalog", -sizeLogOdds)]
    }
}
