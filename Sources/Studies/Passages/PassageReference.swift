import AudioCore
import Corpora
import SignalProcessing

/// A reference of a plan of passages: pieces of recordings, joined.
package struct PassageReference: Codable, Hashable, Sendable {
    package struct Piece: Codable, Hashable, Sendable {
        package var track: String
        /// Frames at the plan's sample rate.
        package var frames: Range<Int>
    }

    package var id: String
    package var kind: PassageKind
    package var pieces: [Piece]
    /// The reference that begins with the same sound.
    package var twin: String?

    package var frameCount: Int { pieces.reduce(0) { $0 + $1.frames.count } }
    /// The frames at the beginning that its twin has too; 0 without one.
    package var sharedFrames: Int { twin == nil ? 0 : pieces[0].frames.count }

    func audio(from sources: PassageSources) throws -> AudioBuffer {
        let samples = try pieces.flatMap { try sources.audio(of: $0.track).frames($0.frames).samples }
        return AudioBuffer(samples: samples, sampleRate: sources.sampleRate)
    }
}

/// The references of a plan; no two share audio, except twins.
///
/// Spots and jingles are cut from the longest recordings. Songs are whole recordings, of other equivalence classes.
struct PassageReferences {
    private(set) var list: [PassageReference] = []
    private let plan: PassagePlanFile
    private let sources: PassageSources
    /// The ranges that references are cut from, by track.
    private var used: [String: [Range<Int>]] = [:]

    /// The recordings that cuts are taken from have this many times their length.
    private static let spareFactor = 1.8
    private static let attempts = 400

    init(plan: PassagePlanFile, corpus: Corpus, sources: PassageSources) throws {
        self.plan = plan
        self.sources = sources
        var classes = Self.recordings(of: corpus, half: plan.half).sorted {
            ($1.durationSeconds, $0.id) < ($0.durationSeconds, $1.id)
        }
        let kinds = PassageKind.allCases.filter { plan.kinds[$0] != nil }
        // The ends of twins are cut too.
        let cutSeconds = kinds.filter { !$0.isWholeRecording }.compactMap { plan.kinds[$0] }
            .reduce(0) { $0 + Double($1.references) * ($1.seconds.lowerBound + $1.seconds.upperBound) / 2 }
        var cutTracks: [Track] = []
        while !classes.isEmpty,
            cutTracks.reduce(0, { $0 + $1.durationSeconds }) < Self.spareFactor * cutSeconds
        {
            cutTracks.append(classes.removeFirst())
        }
        for kind in kinds {
            guard let airings = plan.kinds[kind] else { continue }
            if kind.isWholeRecording {
                try takeWhole(airings, kind, from: classes, corpus: corpus.name)
            } else {
                try cut(airings, kind, from: cutTracks.map(\.id), corpus: corpus.name)
            }
        }
    }

    /// One recording of each equivalence class of a half, the longest.
    private static func recordings(of corpus: Corpus, half: CorpusHalf) -> [Track] {
        Dictionary(grouping: corpus.tracks.filter { $0.role == .enrolled(half) }, by: \.classID).values
            .compactMap { members in
                members.min { ($1.durationSeconds, $0.id) < ($0.durationSeconds, $1.id) }
            }
    }

    private mutating func takeWhole(
        _ airings: PassageDesign.Airings, _ kind: PassageKind, from tracks: [Track], corpus: String
    ) throws {
        let suitable = tracks.filter { $0.durationSeconds >= airings.seconds.lowerBound + 1 }
            .sorted { $0.id < $1.id }
        guard suitable.count >= airings.references else {
            throw plan.error(
                "the \(plan.half.rawValue) half of \(corpus) has \(suitable.count) unrelated recordings left for "
                    + "\(airings.references) references of `\(kind.key)`; use a larger corpus or fewer references"
            )
        }
        var generator = SeededGenerator(seed: plan.seed, "passages", kind.rawValue)
        for track in suitable.shuffled(using: &generator).prefix(airings.references) {
            list.append(
                PassageReference(
                    id: id(kind), kind: kind,
                    pieces: [.init(track: track.id, frames: 0..<(try sources.frameCount(of: track.id)))]))
        }
    }

    private mutating func cut(
        _ airings: PassageDesign.Airings, _ kind: PassageKind, from tracks: [String], corpus: String
    ) throws {
        var generator = SeededGenerator(seed: plan.seed, "passages", kind.rawValue)
        for number in 0..<airings.references {
            // The second of two twins has the beginning of the first.
            if number < 2 * airings.twins, number % 2 == 1 {
                let first = list.count - 1
                let (whole, rest) = (list[first].pieces[0].frames, list[first].frameCount)
                let shared = Int(bounded: generator.uniform(in: 0.5...0.75) * Double(rest))
                let track = list[first].pieces[0].track
                let split = whole.lowerBound + shared
                let other = try piece(
                    ofFrames: rest - shared, kind, from: tracks, corpus: corpus, using: &generator)
                let twin = id(kind)
                let beginning = PassageReference.Piece(track: track, frames: whole.lowerBound..<split)
                list.append(
                    PassageReference(
                        id: twin, kind: kind, pieces: [beginning, other], twin: list[first].id))
                list[first].pieces = [
                    beginning, .init(track: track, frames: split..<whole.upperBound),
                ]
                list[first].twin = twin
            } else {
                let cut = try piece(
                    ofFrames: frames(generator.uniform(in: airings.seconds)), kind, from: tracks,
                    corpus: corpus, using: &generator)
                list.append(PassageReference(id: id(kind), kind: kind, pieces: [cut]))
            }
        }
    }

    private func id(_ kind: PassageKind) -> String {
        let number = String(list.count { $0.kind == kind } + 1)
        return "\(kind.rawValue)-\(String(repeating: "0", count: max(0, 3 - number.count)))\(number)"
    }

    private func frames(_ seconds: Double) -> Int {
        Int(bounded: (seconds * Double(sources.sampleRate)).rounded())
    }

    /// Cuts a piece that is loud enough and shares no sound with other pieces.
    private mutating func piece(
        ofFrames count: Int, _ kind: PassageKind, from tracks: [String], corpus: String,
        using generator: inout SeededGenerator
    ) throws -> PassageReference.Piece {
        for _ in 0..<Self.attempts {
            let track = tracks[generator.index(below: max(1, tracks.count))]
            let place = generator.unit()
            let audio = try sources.audio(of: track)
            guard audio.frameCount > count else { continue }
            let start = Int(bounded: place * Double(audio.frameCount - count))
            let range = start..<(start + count)
            guard !used[track, default: []].contains(where: { $0.overlaps(range) }), audio.isLoud(range),
                !SharedSound.isIn(used[track] ?? [], range, of: audio)
            else { continue }
            used[track, default: []].append(range)
            return .init(track: track, frames: range)
        }
        throw plan.error(
            "the \(plan.half.rawValue) half of \(corpus) has no room left for reference \(list.count { $0.kind == kind } + 1) "
                + "of `\(kind.key)`; use a larger corpus or fewer references")
    }
}

extension AudioBuffer {
    /// Whether a range, its first and its last half second are loud enough to be recognised.
    func isLoud(_ range: Range<Int>) -> Bool {
        let edge = min(range.count, sampleRate / 2)
        return ![
            range.lowerBound..<(range.lowerBound + edge), (range.upperBound - edge)..<range.upperBound, range,
        ].contains(where: isTooQuiet)
    }
}

/// Finds where music repeats itself, sample by sample.
enum SharedSound {
    /// Lower than any rate of a plan, to be quick.
    private static let sampleRate = 2000
    private static let pieceSeconds = 1.5
    /// The least correlation of the same sound.
    private static let least = 0.7

    /// Whether a piece of `range` sounds in one of `others`, in the same recording.
    static func isIn(_ others: [Range<Int>], _ range: Range<Int>, of audio: AudioBuffer) -> Bool {
        guard !others.isEmpty else { return false }
        let factor = max(1, audio.sampleRate / sampleRate)
        let own = sharpened(audio, range, by: factor)
        let known = others.flatMap { sharpened(audio, $0, by: factor) }
        let length = min(own.count, Int(bounded: pieceSeconds * Double(audio.sampleRate / factor)))
        guard length > 0 else { return false }
        let sliding = SlidingCorrelation(own + known, cutLength: length)
        return stride(from: 0, through: own.count - length, by: length).contains { start in
            !sliding.places(resembling: start, from: own.count, least: least, spacing: length).isEmpty
        }
    }

    /// Differences of the means of `factor` samples each, so that held notes of the bass do not decide.
    private static func sharpened(_ audio: AudioBuffer, _ range: Range<Int>, by factor: Int) -> [Float] {
        audio.withChannel(0) { samples in
            var before: Float = 0
            return stride(from: range.lowerBound, to: range.upperBound - factor + 1, by: factor).map {
                start in
                var sum: Float = 0
                for index in start..<(start + factor) { sum += samples[index] }
                defer { before = sum }
                return sum - before
            }
        }
    }
}
