import AudioCore
import AudioIO
import Corpora

/// The recordings of episodes that share an intro, drawn before any is decoded.
///
/// All parts of a set and its background come from different equivalence classes.
struct IntroSet: Sendable {
    /// From 1, among the sets with the same number of episodes.
    let number: Int
    let intro: Track
    /// The recording for the rest of each episode.
    let episodes: [Track]
    /// Whole recordings that are enrolled beside the episodes.
    let background: [Track]
    /// The seed of choices that need the samples.
    let seed: UInt64

    var name: String { "n\(episodes.count)/s\(number)" }

    func episodeID(_ index: Int) -> String { "\(name)/e\(index + 1)" }

    func generator(_ purpose: String) -> SeededGenerator { SeededGenerator(seed: seed, name, purpose) }
}

extension IntroPlanFile {
    /// Draws all sets from one half of a corpus; the result depends only on plan and lock.
    ///
    /// - Throws: ``ConfigurationError`` if too few recordings are long enough.
    func drawSets(from corpus: Corpus) throws -> [IntroSet] {
        let needed =
            max(design.introSeconds.upperBound, design.openingSeconds.upperBound + design.bodySeconds) + 1
        let offered = corpus.tracks.filter { $0.role == .enrolled(head.half) }
        let classes = Dictionary(grouping: offered, by: \.classID).sorted { $0.key < $1.key }.map(\.value)
        let longEnough = classes.count { $0.contains { $0.durationSeconds >= needed } }
        guard let most = design.episodes.max(), longEnough > most else {
            throw ConfigurationError(
                file: head.path,
                message:
                    "the \(head.half.rawValue) half of \(corpus.name) has \(longEnough) unrelated recordings of "
                    + "\(needed) s or more; sets of \(design.episodes.max() ?? 0) episodes need one more than that"
            )
        }
        return design.episodes.flatMap { count in
            (1...design.sets).map { number in
                var generator = SeededGenerator(seed: head.seed, "intro set", "\(count)", "\(number)")
                var drawn: [Track] = []
                var others: [Track] = []
                for members in classes.shuffled(using: &generator) {
                    let suitable = members.filter { $0.durationSeconds >= needed }
                    if drawn.count <= count, !suitable.isEmpty {
                        drawn.append(suitable[generator.index(below: suitable.count)])
                    } else {
                        others.append(members[generator.index(below: members.count)])
                    }
                }
                return IntroSet(
                    number: number, intro: drawn[0], episodes: Array(drawn.dropFirst()),
                    background: Array(others.prefix(design.background)), seed: head.seed)
            }
        }
    }
}

/// An episode: the opening, the intro and the body.
///
/// Fades of 20 ms join the parts. Each part has the intro's mean power, as in broadcasts.
struct EpisodeAudio: Sendable {
    let audio: AudioBuffer
    /// The part that all episodes of the set share, in seconds: from the fade-in to the fade-out.
    let intro: Range<Double>

    private static let fadeSeconds = 0.02

    init(opening: AudioBuffer?, intro: AudioBuffer, body: AudioBuffer) {
        let rate = Double(intro.sampleRate)
        let fade = Int(bounded: Self.fadeSeconds * rate)
        let parts = [opening, intro, body].compactMap(\.self).map { ($0, $0.gain(to: intro)) }
        let planes = (0..<intro.channelCount).map { channel in
            var joined = Crossfade(overlap: fade)
            for (part, gain) in parts { joined.append(part.channel(channel), gain: gain) }
            return joined.samples
        }
        audio = AudioBuffer(
            samples: planes.flatMap(\.self), sampleRate: intro.sampleRate, channelCount: intro.channelCount)
        let start = Double(opening.map { $0.frameCount - fade } ?? 0) / rate
        self.intro = start..<(start + Double(intro.frameCount - fade) / rate)
    }
}

extension IntroSet {
    struct Audio: Sendable {
        let intro: AudioBuffer
        let episodes: [EpisodeAudio]
    }

    /// Cuts and joins the episodes; the result is the same on every machine of one CPU type.
    ///
    /// Places are drawn until the intro, its last 3 s and the first second after it are loud enough
    /// (``AudioBuffer/isTooQuiet(frames:)``).
    func build(_ plan: IntroPlanFile, corpus: Corpus, jobs: Int) throws -> Audio {
        var generator = generator("intro")
        let introSeconds = generator.uniform(in: plan.introSeconds)
        let source = try corpus.audio(of: intro)
        let intro = try source.excerpt(ofSeconds: introSeconds, named: self.intro.id, using: &generator) {
            let end = $0.frameCount
            return [0..<end, (end - 3 * $0.sampleRate)..<end]
        }.stereo
        let built = try ParallelMap.map(episodes.count, jobs: jobs) { index in
            var generator = self.generator("episode \(index)")
            let openingSeconds = generator.uniform(in: plan.openingSeconds)
            let track = episodes[index]
            let source = try corpus.audio(of: track)
            let opening = Int(bounded: openingSeconds * Double(source.sampleRate))
            let own = try source.excerpt(
                ofSeconds: openingSeconds + plan.bodySeconds, named: track.id, using: &generator
            ) { [opening..<(opening + $0.sampleRate)] }
            let parts = try [0..<opening, opening..<own.frameCount].map {
                try Resampler.resample(own.frames($0).stereo, to: intro.sampleRate)
            }
            // A shorter opening would vanish in the fade.
            let isHeard = parts[0].durationSeconds > 0.1
            return EpisodeAudio(opening: isHeard ? parts[0] : nil, intro: intro, body: parts[1])
        }
        return Audio(intro: intro, episodes: built)
    }
}

extension AudioBuffer {
    /// The factor that gives this the mean power of `other`.
    fileprivate func gain(to other: AudioBuffer) -> Float {
        let power = meanPowerAC
        return power > 0 ? Float((other.meanPowerAC / power).squareRoot()) : 1
    }

    /// Two channels: a single channel twice, or the first two.
    fileprivate var stereo: AudioBuffer {
        let planes = channelCount == 1 ? samples + samples : Array(samples.prefix(2 * frameCount))
        return AudioBuffer(samples: planes, sampleRate: sampleRate, channelCount: 2)
    }

    /// An excerpt at a drawn place that is loud enough in each range of `loud`.
    fileprivate func excerpt(
        ofSeconds seconds: Double, named name: String, using generator: inout SeededGenerator,
        loud: (AudioBuffer) -> [Range<Int>]
    ) throws -> AudioBuffer {
        let count = Int(bounded: seconds * Double(sampleRate))
        guard count <= frameCount else {
            throw CorpusError(.unreadable, "\(name) has \(frameCount) frames; \(count) are needed")
        }
        for _ in 0..<400 {
            let start = generator.index(below: frameCount - count + 1)
            let excerpt = frames(start..<(start + count))
            if !loud(excerpt).contains(where: excerpt.isTooQuiet) { return excerpt }
        }
        throw CorpusError(.unreadable, "\(name): no place in 400 draws is loud enough to be recognised")
    }
}
