import Evaluation
import Fingerprinting
import Matchers

extension FingerprintingMatcher: ExplainingMatcher {
    func explain(
        _ query: Matchers.Query, laidOn places: [ReferencePlace]
    ) throws -> MatchExplanation {
        guard let catalog else {
            throw MeasurementError("\(name) was asked to explain before enrolment was finished")
        }
        let explained = try catalog.explain(query.audio)
        return MatchExplanation(
            queryPeaks: explained.peaks.map(SpectralPoint.init),
            candidates: explained.answers.map { match, parts in
                ExplainedCandidate(
                    Self.candidate(match), parts: parts.map { .init(name: $0.name, amount: $0.amount) },
                    matchedPeaks: match.matchedPeaks, comparedPeaks: match.comparedPeaks)
            },
            alignments: try places.map { try lay(explained.query, on: $0, of: catalog) },
            threshold: catalog.threshold)
    }

    private func lay(
        _ query: Fingerprinting.Query, on place: ReferencePlace, of catalog: Catalog
    ) throws -> PeakAlignment {
        let votesFrom = -Double(ExplainedAlignment.margin) * ExplainedAlignment.frameSeconds
        guard let reference = try catalog.place(ofID: place.referenceID) else {
            return PeakAlignment(
                place: place, referencePeaks: [], pairs: [],
                votes: .init(firstSeconds: votesFrom, binSeconds: ExplainedAlignment.frameSeconds, counts: [])
            )
        }
        let aligned = try catalog.align(
            query, with: reference, offsetSeconds: place.offsetSeconds, frequencySkew: place.frequencySkew,
            timeSkew: place.timeSkew)
        return PeakAlignment(
            place: place, referencePeaks: aligned.reference.map(SpectralPoint.init),
            pairs: aligned.pairs.map { .init(query: $0.query, reference: $0.reference) },
            votes: .init(
                firstSeconds: votesFrom, binSeconds: ExplainedAlignment.frameSeconds, counts: aligned.votes))
    }
}

extension SpectralPoint {
    fileprivate init(_ peak: Peak) {
        self.init(seconds: peak.timeSeconds, hertz: peak.frequencyHertz)
    }
}
