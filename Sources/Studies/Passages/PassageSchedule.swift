import AudioCore
import Corpora
import Degradations

/// Everything that a recording consists of, decided before a sample of it is made.
struct PassageSchedule: Sendable {
    /// What plays for a while, from the beginning of its fade-in to the end of its fade-out.
    struct Item: Sendable {
        var content: Content
        var start = 0
        var count: Int
        /// The frames that overlap the item before, and the one after.
        var fadeIn = 0
        var fadeOut = 0

        var end: Int { start + count }
    }

    enum Content: Sendable {
        case airing(Excerpt)
        /// From a frame of a recording that is no reference.
        case music(track: String, frame: Int)
        case speech
        case silence
    }

    /// What an item plays of a reference.
    struct Excerpt: Sendable {
        var reference: PassageReference
        /// The frame of the reference at the item's first frame.
        var frame: Int
        var skew: Skew?
        /// Frames of the item.
        var voiceOver: Range<Int>?
    }

    struct Skew: Sendable {
        let step: AnyDegradation
        let frequencySkew: Double
        /// Reference seconds per query second − 1.
        let timeSkew: Double

        init(_ speed: Speed) {
            (step, frequencySkew, timeSkew) = (AnyDegradation(speed), speed.skew, speed.skew)
        }

        init(_ tempo: Tempo) {
            (step, frequencySkew, timeSkew) = (AnyDegradation(tempo), 0, tempo.percent / 100)
        }
    }

    let items: [Item]
    let frameCount: Int
    let sampleRate: Int

    /// The overlap of two items without a crossfade, which avoids clicks.
    private static let joinSeconds = 0.01
    /// The largest share of an item that overlaps one of its neighbours.
    private static let largestFade = 0.25

    init(
        plan: PassagePlanFile, references: [PassageReference], corpus: Corpus, sources: PassageSources
    ) throws {
        let rate = Double(sources.sampleRate)
        sampleRate = sources.sampleRate
        frameCount = Int(bounded: (plan.hours * 3600 * rate).rounded())
        let airings = try AiringDraw(plan: plan, references: references, sources: sources).items()
        var filler = try FillerDraw(plan: plan, corpus: corpus, sources: sources)
        let airingFrames = airings.reduce(0) { $0 + $1.count }
        let free = frameCount - airingFrames
        guard Double(free) >= 0.05 * Double(frameCount) else {
            throw plan.error(
                "\(airings.count) airings take \(Double(airingFrames) / rate / 3600) h of \(plan.hours) h; "
                    + "expected fewer, or more hours")
        }
        var drawn: [Item] = []
        for (gap, airing) in zip(
            filler.gaps(count: airings.count, frames: free), airings.map(Optional.some) + [nil])
        {
            drawn += try filler.items(frames: gap)
            if let airing { drawn.append(airing) }
        }
        var fades = SeededGenerator(seed: plan.seed, "passages", "fades")
        let join = max(1, Int(bounded: Self.joinSeconds * rate))
        var joined: [Item] = []
        func append(_ item: Item) {
            var item = item
            if let last = joined.last {
                let isFaded = fades.unit() < plan.crossfades.share
                let seconds = fades.uniform(in: plan.crossfades.seconds)
                let most = Int(bounded: Self.largestFade * Double(min(last.count, item.count)))
                let width = min(most, isFaded ? max(join, Int(bounded: seconds * rate)) : join)
                joined[joined.count - 1].fadeOut = width
                item.fadeIn = width
                item.start = last.end - width
            }
            joined.append(item)
        }
        for item in drawn { append(item) }
        // Overlaps have made it shorter.
        while let last = joined.last, last.end < frameCount {
            for item in try filler.items(frames: max(frameCount - last.end, Int(bounded: 5 * rate))) {
                append(item)
            }
        }
        let end = frameCount
        items = joined.filter { $0.start < end }
    }
}

extension PassageSchedule {
    /// The truth, in order of time.
    var airings: [Airing] {
        let rate = Double(sampleRate)
        return items.compactMap { item in
            guard case .airing(let excerpt) = item.content else { return nil }
            let slope = 1 + (excerpt.skew?.timeSkew ?? 0)
            let begin = Double(item.start) + Double(item.fadeIn) / 2
            let end = Double(min(item.end, frameCount)) - Double(item.fadeOut) / 2
            func reference(_ frame: Double) -> Double {
                (Double(excerpt.frame) + (frame - Double(item.start)) * slope) / rate
            }
            var airing = Airing(
                referenceID: excerpt.reference.id, kind: excerpt.reference.kind,
                queryRange: (begin / rate)...(end / rate), referenceRange: reference(begin)...reference(end),
                frequencySkew: excerpt.skew?.frequencySkew ?? 0, timeSkew: slope - 1,
                fadeInSeconds: Double(item.fadeIn) / rate, fadeOutSeconds: Double(item.fadeOut) / rate)
            airing.voiceOver = excerpt.voiceOver.map { voice in
                (Double(item.start + voice.lowerBound) / rate)...(Double(item.start + voice.upperBound) / rate)
            }
            let shared = Double(excerpt.reference.sharedFrames) / rate
            if let twin = excerpt.reference.twin, airing.referenceRange.lowerBound < shared {
                let length =
                    (min(shared, airing.referenceRange.upperBound) - airing.referenceRange.lowerBound) / slope
                airing.shared = Airing.Shared(
                    referenceID: twin,
                    queryRange: airing.queryRange.lowerBound...(airing.queryRange.lowerBound + length))
            }
            return airing
        }
    }
}

/// Draws the airings of a plan in their order.
private struct AiringDraw {
    let plan: PassagePlanFile
    let references: [PassageReference]
    let sources: PassageSources

    private static let attempts = 400
    /// The most of a cut beginning, as a share of the reference.
    private static let largestCut = 0.3

    func items() throws -> [PassageSchedule.Item] {
        var generator = SeededGenerator(seed: plan.seed, "passages", "airings")
        var kinds: [PassageKind] = []
        for (place, kind) in PassageKind.allCases.enumerated() {
            guard let share = plan.kinds[kind]?.share else { continue }
            let isLast = PassageKind.allCases[(place + 1)...].allSatisfy { plan.kinds[$0] == nil }
            let count = Int(bounded: (share * Double(plan.airings)).rounded())
            let left = plan.airings - kinds.count
            kinds += Array(repeating: kind, count: isLast ? left : min(left, count))
        }
        var decks = Dictionary(
            uniqueKeysWithValues: plan.kinds.keys.map { kind in
                (kind, Deck(references.filter { $0.kind == kind }))
            })
        var last: String?
        var items: [PassageSchedule.Item] = []
        for (number, kind) in kinds.shuffled(using: &generator).enumerated() {
            guard let airings = plan.kinds[kind],
                let reference = decks[kind]?.draw(unlike: last, using: &generator)
            else { continue }
            var own = SeededGenerator(seed: plan.seed, "passages", "airing", "\(number)")
            items.append(try item(reference, airings, using: &own))
            last = reference.id
        }
        return items
    }

    private func item(
        _ reference: PassageReference, _ airings: PassageDesign.Airings,
        using generator: inout SeededGenerator
    ) throws -> PassageSchedule.Item {
        let rate = Double(sources.sampleRate)
        var skew: PassageSchedule.Skew?
        if generator.unit() < airings.skewShare {
            // To a hundredth of a percent, so that tables can state it.
            let percent = (generator.uniform(in: airings.skewPercent) * 100).rounded() / 100
            typealias Skew = PassageSchedule.Skew
            skew = generator.unit() < 0.5 ? Skew(Speed(percent: percent)) : Skew(Tempo(percent: percent))
        }
        let isCut = generator.unit() < airings.cutShare
        let range =
            reference.kind.isWholeRecording
            ? try excerpt(of: reference, airings, isCut: isCut, using: &generator)
            : try beginning(of: reference, isCut: isCut, using: &generator)
        let count = Int(bounded: (Double(range.count) / (1 + (skew?.timeSkew ?? 0))).rounded(.down))
        var excerpt = PassageSchedule.Excerpt(reference: reference, frame: range.lowerBound, skew: skew)
        if generator.unit() < airings.voiceOverShare {
            let wanted = generator.uniform(in: plan.voiceOver.seconds) * rate
            let length = min(Int(bounded: wanted), Int(bounded: 0.8 * Double(count)))
            let start = generator.index(below: count - length + 1)
            excerpt.voiceOver = start..<(start + length)
        }
        return PassageSchedule.Item(content: .airing(excerpt), count: count)
    }

    /// A spot or a jingle, with or without its beginning.
    private func beginning(
        of reference: PassageReference, isCut: Bool, using generator: inout SeededGenerator
    ) throws -> Range<Int> {
        let all = 0..<reference.frameCount
        guard isCut else { return all }
        let audio = try reference.audio(from: sources)
        for _ in 0..<Self.attempts {
            let cut = Int(bounded: generator.uniform(in: 0...Self.largestCut) * Double(all.count))
            if audio.isLoud(cut..<all.upperBound) { return cut..<all.upperBound }
        }
        return all
    }

    /// A part of a song, from its first sound unless it is cut.
    private func excerpt(
        of reference: PassageReference, _ airings: PassageDesign.Airings, isCut: Bool,
        using generator: inout SeededGenerator
    ) throws -> Range<Int> {
        let audio = try reference.audio(from: sources)
        let rate = Double(sources.sampleRate)
        for _ in 0..<Self.attempts {
            let longest = min(airings.seconds.upperBound, audio.durationSeconds - 1)
            let seconds = generator.uniform(in: min(airings.seconds.lowerBound, longest)...longest)
            let count = Int(bounded: seconds * rate)
            let start = isCut ? generator.index(below: audio.frameCount - count + 1) : firstSound(of: audio)
            let range = start..<min(audio.frameCount, start + count)
            if Double(range.count) >= airings.seconds.lowerBound * rate, audio.isLoud(range) { return range }
        }
        throw plan.error(
            "\(reference.pieces[0].track): no stretch in \(Self.attempts) draws is loud enough to be recognised"
        )
    }

    private func firstSound(of audio: AudioBuffer) -> Int {
        let window = audio.sampleRate / 2
        let starts = stride(from: 0, to: max(1, audio.frameCount - window), by: audio.sampleRate / 10)
        return starts.first { !audio.isTooQuiet(frames: $0..<min(audio.frameCount, $0 + window)) } ?? 0
    }
}

/// References in a shuffled order, again and again, so that each is aired about as often.
private struct Deck {
    private let all: [PassageReference]
    private var left: [PassageReference] = []

    init(_ all: [PassageReference]) { self.all = all }

    mutating func draw(unlike last: String?, using generator: inout SeededGenerator) -> PassageReference? {
        if left.isEmpty { left = all.shuffled(using: &generator) }
        // One reference twice in a row would be one long passage.
        guard let place = left.lastIndex(where: { $0.id != last && $0.twin != last }) else {
            left += all.shuffled(using: &generator)
            return left.lastIndex { $0.id != last }.map { left.remove(at: $0) } ?? left.popLast()
        }
        return left.remove(at: place)
    }
}

private struct FillerDraw {
    private let plan: PassagePlanFile
    private let sources: PassageSources
    /// Recordings that are in no reference.
    private let tracks: [String]
    private var generator: SeededGenerator

    private static let shortestSeconds = 1.0

    init(plan: PassagePlanFile, corpus: Corpus, sources: PassageSources) throws {
        self.plan = plan
        self.sources = sources
        tracks = corpus.tracks.filter { track in
            track.half == plan.half && !track.isEnrolled && track.durationSeconds >= 5
        }.map(\.id).sorted()
        generator = SeededGenerator(seed: plan.seed, "passages", "between")
        guard !tracks.isEmpty || plan.between.music.share == 0 else {
            throw plan.error(
                "the \(plan.half.rawValue) half of \(corpus.name) has no recording that is in no reference; set "
                    + "the share of `music` to 0")
        }
    }

    /// The frames before each of `count` airings and after the last, `frames` in all.
    mutating func gaps(count: Int, frames: Int) -> [Int] {
        var weights = (0...count).map { place -> Double in
            let weight = -log(1 - generator.unit())
            let isNone = generator.unit() < plan.between.noneShare
            return isNone && place > 0 && place < count ? 0 : weight
        }
        let total = weights.reduce(0, +)
        let shortest = Self.shortestSeconds * Double(sources.sampleRate)
        weights = weights.map { $0 / total * Double(frames) }
        return weights.enumerated().map { place, frames in
            if place == 0 || place == count { return Int(bounded: max(frames, 2 * shortest)) }
            return frames < shortest ? 0 : Int(bounded: frames)
        }
    }

    mutating func items(frames: Int) throws -> [PassageSchedule.Item] {
        var items: [PassageSchedule.Item] = []
        var left = frames
        let rate = Double(sources.sampleRate)
        let shortest = Int(bounded: Self.shortestSeconds * rate)
        while left > 0 {
            let place = generator.unit()
            let (music, speech) = (plan.between.music, plan.between.speech)
            let filling =
                place < music.share
                ? music : place < music.share + speech.share ? speech : plan.between.silence
            var count = min(left, Int(bounded: generator.uniform(in: filling.seconds) * rate))
            if left - count < shortest { count = left }
            var content = PassageSchedule.Content.silence
            if place < music.share {
                let track = tracks[generator.index(below: tracks.count)]
                count = min(count, try sources.frameCount(of: track) - 1)
                let start = generator.index(below: try sources.frameCount(of: track) - count)
                content = .music(track: track, frame: start)
            } else if place < music.share + speech.share {
                content = .speech
            }
            items.append(PassageSchedule.Item(content: content, count: count))
            left -= count
        }
        return items
    }
}
