import AudioCore
import Evaluation
import Fingerprinting
import Matchers

extension FingerprintingMatcher {
    func startPassages(sampleRate: Int, channelCount: Int) throws -> any PassageStream {
        guard let catalog else {
            throw MeasurementError("\(name) was asked for passages before enrolment was finished")
        }
        return FingerprintingPassages(
            matcher: try StreamMatcher(catalog: catalog, sampleRate: sampleRate, channelCount: channelCount))
    }
}

/// Makes a passage of each stretch in which our engine's stream follows a reference.
private struct FingerprintingPassages: PassageStream {
    private struct Followed {
        var startSeconds: Double
        var endSeconds: Double
        var match: Match
        /// The time in the stream that the offset of `match` belongs to.
        var offsetSeconds: Double
    }

    var matcher: StreamMatcher
    private var followed: [String: Followed] = [:]

    init(matcher: StreamMatcher) { self.matcher = matcher }

    mutating func append(_ block: AudioBuffer) throws -> [Passage] {
        var passages: [Passage] = []
        for event in try matcher.append(block) {
            let current = Dictionary(
                event.matches.map { ($0.referenceID, $0) }, uniquingKeysWith: { first, _ in first })
            for id in followed.keys.sorted() where event.kind != .following && current[id] == nil {
                passages += end(id)
            }
            for (id, match) in current.sorted(by: { $0.key < $1.key }) {
                let place = Followed(
                    startSeconds: followed[id]?.startSeconds ?? event.startSeconds,
                    endSeconds: event.elapsedSeconds, match: match, offsetSeconds: event.startSeconds)
                if let known = followed[id], !continues(known, with: place) {
                    passages += end(id)
                    followed[id] = place
                    followed[id]?.startSeconds = max(event.startSeconds, known.endSeconds)
                } else {
                    followed[id] = place
                }
            }
        }
        return passages
    }

    mutating func finish() -> [Passage] { followed.keys.sorted().flatMap { end($0) } }

    private func continues(_ known: Followed, with next: Followed) -> Bool {
        let expected =
            known.match.offsetSeconds
            + (next.offsetSeconds - known.offsetSeconds) * (1 + known.match.timeSkew)
        return abs(expected - next.match.offsetSeconds) < 0.25
    }

    private mutating func end(_ id: String) -> [Passage] {
        guard let place = followed.removeValue(forKey: id), place.endSeconds > place.startSeconds else {
            return []
        }
        let match = place.match
        func reference(_ seconds: Double) -> Double {
            match.offsetSeconds + (seconds - place.offsetSeconds) * (1 + match.timeSkew)
        }
        // The window before the reference was found may begin before the reference does.
        let begin = max(place.startSeconds, place.offsetSeconds - match.offsetSeconds / (1 + match.timeSkew))
        guard begin < place.endSeconds else { return [] }
        return [
            Passage(
                referenceID: id, queryRange: max(0, begin)...place.endSeconds,
                referenceRange: reference(begin)...reference(place.endSeconds),
                frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, score: match.score,
                confidence: match.confidence)
        ]
    }
}
