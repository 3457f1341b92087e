import AudioCore
import Degradations

/// A query to cut from a set, and the record for its answer.
struct IntroQuery: Sendable {
    let record: IntroRecord
    let condition: IntroDesign.Condition
    /// The possible starts in its source, in seconds; a single place at a boundary.
    let startSeconds: ClosedRange<Double>
    var speed: Speed?

    /// Makes the samples; random choices depend only on the seed and the record.
    func render(from source: AudioBuffer, seed: UInt64, number: Int, material: any Material) throws -> Clip {
        let record = record
        var generator = SeededGenerator(
            seed: seed, record.set, record.kind.rawValue, "\(record.right)", record.condition,
            "\(record.lengthSeconds) \(record.tailSeconds ?? 0) \(record.spacingPercent ?? 0) \(number)")
        var chain = DegradationChain(steps: speed.map { [AnyDegradation($0)] } ?? [])
        for step in condition.chain { chain.steps.append(try step.draw(using: &generator)) }
        let rate = Double(source.sampleRate)
        let length = Int(bounded: record.lengthSeconds * rate)
        var start = generator.uniform(in: startSeconds)
        // Music has pauses. A place at a boundary is fixed, and the audio there is loud enough.
        for _ in 0..<400 where startSeconds.lowerBound < startSeconds.upperBound {
            let frame = min(max(0, Int(bounded: start * rate)), source.frameCount - length)
            guard source.isTooQuiet(frames: frame..<(frame + length)) else { break }
            start = generator.uniform(in: startSeconds)
        }
        return try chain.render(
            source: source, startSeconds: start, lengthSeconds: record.lengthSeconds, material: material)
    }
}

extension IntroSet {
    /// The queries inside the intro and across its end, for each queried episode.
    func queries(_ plan: IntroPlanFile, _ audio: Audio) -> [(episode: Int, query: IntroQuery)] {
        var generator = generator("queried")
        let queried = Array(episodes.indices).shuffled(using: &generator).prefix(plan.queriedEpisodes)
            .sorted()
        var queries: [(Int, IntroQuery)] = []
        for episode in queried {
            let intro = audio.episodes[episode].intro
            for condition in plan.conditions {
                for length in plan.queryLengths {
                    func record(_ kind: IntroRecord.Kind, tail: Double? = nil) -> IntroRecord {
                        IntroRecord(
                            kind: kind, set: name, episodes: episodes.count, right: episode + 1,
                            condition: condition.name, lengthSeconds: length, tailSeconds: tail)
                    }
                    let inside = IntroQuery(
                        record: record(.inside), condition: condition,
                        startSeconds: intro.lowerBound...(intro.upperBound - length))
                    queries += (0..<plan.insideQueries).map { _ in (episode, inside) }
                    queries += plan.tails.map { tail in
                        let start = intro.upperBound + tail - length
                        return (
                            episode,
                            IntroQuery(
                                record: record(.boundary, tail: tail), condition: condition,
                                startSeconds: start...start)
                        )
                    }
                }
            }
        }
        return queries
    }

    func tagQueries(_ plan: IntroPlanFile, introSeconds: Double) -> [IntroQuery] {
        var generator = generator("tags")
        var queries: [IntroQuery] = []
        for spacing in plan.skewSpacings {
            let most = IntroDesign.tagsEitherWay(spacing)
            for condition in plan.conditions {
                for length in plan.queryLengths {
                    // Faster playback needs more of the intro.
                    let room = introSeconds - length * (1 + IntroDesign.largestTag / 100) - 0.1
                    for _ in 0..<plan.skewQueries {
                        let tag = generator.index(below: 2 * most + 1) - most
                        queries.append(
                            IntroQuery(
                                record: IntroRecord(
                                    kind: .tag, set: name, episodes: 2 * most + 1, right: tag,
                                    condition: condition.name, lengthSeconds: length, spacingPercent: spacing),
                                condition: condition, startSeconds: 0...max(0, room),
                                speed: Speed(percent: Double(tag) * spacing)))
                    }
                }
            }
        }
        return queries
    }
}
