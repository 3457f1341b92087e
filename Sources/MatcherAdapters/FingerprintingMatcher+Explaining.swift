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
        let votesFrom = -Double(LaidPeaks.margin) * LaidPeaks.frameSeconds
        guard let reference = try catalog.place(ofID: place.referenceID) else {
            return PeakAlignment(
                place: place, referencePeaks: [], pairs: [],
                votes: .init(firstSeconds: votesFrom, binSeconds: LaidPeaks.frameSeconds, counts: []))
        }
        let laid = try catalog.lay(
            query, on: reference, offsetSeconds: place.offsetSeconds, frequencySkew: place.frequencySkew,
            timeSkew: place.timeSkew)
        return PeakAlignment(
            place: place, referencePeaks: laid.reference.map(SpectralPoint.init),
            pairs: laid.pairs.map { .init(query: $0.query, reference: $0.reference) },
            votes: .init(
                firstSeconds: votesFrom, binSeconds: LaidPeaks.frameSeconds, counts: laid.votes))
    }
}

extension SpectralPoint {
    fileprivate init(_ peak: Peak) {
        self.init(seconds: peak.timeSeconds, hertz: peak.frequencyHertz)
    }
}
