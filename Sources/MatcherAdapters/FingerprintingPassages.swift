import AudioCore
import Evaluation
import Fingerprinting
import Matchers

extension FingerprintingMatcher {
    func startPassages(sampleRate: Int, channelCount: Int) throws -> any PassageStream {
        FingerprintingPassages(
            finder: try PassageFinder(
                catalog: catalog(for: "for passages"), sampleRate: sampleRate, channelCount: channelCount))
    }
}

/// Converts our engine's passages to the type of the judge.
private struct FingerprintingPassages: PassageStream {
    var finder: PassageFinder

    mutating func append(_ block: AudioBuffer) throws -> [Passage] {
        try finder.append(block).compactMap(Passage.init)
    }

    mutating func finish() throws -> [Passage] { try finder.finish().compactMap(Passage.init) }
}

extension Passage {
    fileprivate init?(_ match: Match) {
        guard let query = match.queryRange, let reference = match.referenceRange else { return nil }
        self.init(
            referenceID: match.referenceID, queryRange: query.lowerBound...query.upperBound,
            referenceRange: reference.lowerBound...reference.upperBound,
            frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, score: match.score,
            confidence: match.confidence)
    }
}
