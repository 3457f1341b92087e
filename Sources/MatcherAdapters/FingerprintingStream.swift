import AudioCore
import Evaluation
import Fingerprinting
import Matchers

extension FingerprintingMatcher {
    func startStream(sampleRate: Int, channelCount: Int) throws -> any MatcherStream {
        FingerprintingStream(
            matcher: try StreamMatcher(
                catalog: catalog(for: "to listen"), sampleRate: sampleRate, channelCount: channelCount))
    }
}

/// Converts our engine's stream matches to the types of the judge.
private struct FingerprintingStream: MatcherStream {
    var matcher: StreamMatcher

    mutating func append(_ block: AudioBuffer) throws -> [StreamedEvent] {
        try matcher.append(block).map { event in
            let kind: StreamedEvent.Kind =
                switch event.kind {
                case .found: .named
                case .following: .confirmed
                case .notFound: .nothing
                }
            return StreamedEvent(
                kind: kind, elapsedSeconds: event.elapsedSeconds, sinceSeconds: event.startSeconds,
                answers: event.matches.map { match in
                    StreamedAnswer(
                        referenceID: match.referenceID,
                        referenceSeconds: match.offsetSeconds
                            + (event.elapsedSeconds - event.startSeconds) * (1 + match.timeSkew),
                        frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, score: match.score)
                })
        }
    }
}
