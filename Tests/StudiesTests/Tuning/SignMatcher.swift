import AudioCore
import Matchers
import Studies
import Synchronization

/// A matcher for exact copies whose quality depends on two settings in a known way.
///
/// It recognises a recording by the signs of its samples. The distances of `x` from 0.7 and of `y` from 0.3 make it
/// worse; `z` has no effect. It fails if `x` is above 0.95.
final class SignMatcher: Matcher {
    struct Failure: Error, CustomStringConvertible { let description = "x is beyond what it can bear" }

    static let contestant = Contestant(name: "signs", summary: "exact copies", tunables: tunables) {
        SignMatcher(x: $0["x"] ?? 0.7, y: $0["y"] ?? 0.3)
    }
    /// The same, but it gives a wrong answer with a score below 0.2 instead of none.
    ///
    /// A score of at least `z` is raised to 0.9.
    static let guessing = Contestant(name: "signs", summary: "exact copies, or a guess", tunables: tunables) {
        SignMatcher(x: $0["x"] ?? 0.7, y: $0["y"] ?? 0.3, surest: $0["z"] ?? 0.3)
    }
    private static let tunables = ["x", "y", "z"].map { name in
        TunableSetting(name: name, in: 0...1, standard: name == "x" ? 0.7 : 0.3, summary: "")
    }

    static let asked = Mutex(0)
    static let prepared = Mutex(0)
    /// After this many queries a test is stopped by this error.
    static let stop = Mutex<(queries: Int, error: any Error)>((.max, TuningError("stopped")))

    let name = "signs"
    let version = "1"
    var settings: [String: String] { ["x": "\(x)", "y": "\(y)"] }

    private let x: Double
    private let y: Double
    /// The score from which a wrong answer gets 0.9; nil where it gives none.
    private let surest: Double?
    private let owners = Mutex<[UInt64: String]>([:])

    init(x: Double, y: Double, surest: Double? = nil) {
        self.x = x
        self.y = y
        self.surest = surest
    }

    var powers: MatcherPowers {
        MatcherPowers(preparation: .init(key: "signs", prepare: Self.prepare, enrol: enrol))
    }

    func enrol(id: String, audio: AudioBuffer) { enrol(id, Self.prepare(audio)) }

    private static func prepare(_ audio: AudioBuffer) -> Set<UInt64> {
        prepared.withLock { $0 += 1 }
        return words(of: audio)
    }

    private func enrol(_ id: String, _ prepared: Set<UInt64>) {
        owners.withLock { owners in
            // If two recordings share a word, the first name gets it, in any order.
            for word in prepared { owners[word] = min(owners[word] ?? id, id) }
        }
    }

    func finishEnrolment() -> Int? { 1000 + Int(1000 * y) }

    func identify(_ query: Query) throws -> [Candidate] {
        let stop = Self.stop.withLock { $0 }
        try Self.asked.withLock { asked in
            guard asked < stop.queries else { throw stop.error }
            asked += 1
        }
        if x > 0.95 { throw Failure() }
        let words = Self.words(of: query.audio)
        var votes: [String: Int] = [:]
        owners.withLock { owners in
            for word in words { if let owner = owners[word] { votes[owner, default: 0] += 1 } }
        }
        let difficulty = Double(words.reduce(0, ^) >> 11) * 0x1p-53
        let quality = 1 - abs(x - 0.7) - 0.5 * abs(y - 0.3)
        guard let best = votes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
            2 * best.value > words.count, difficulty < quality
        else { return guess(0.2 * difficulty) }
        return [
            Candidate(
                referenceID: best.key, offsetSeconds: 0, score: quality - difficulty, isAccepted: true)
        ]
    }

    private func guess(_ score: Double) -> [Candidate] {
        surest.map { surest in
            let score = score < surest ? score : 0.9
            return [Candidate(referenceID: "guess", offsetSeconds: 0, score: score, isAccepted: true)]
        } ?? []
    }

    /// The signs of 192 samples after upward crossings of zero, one in sixteen of them.
    private static func words(of audio: AudioBuffer) -> Set<UInt64> {
        var words: Set<UInt64> = []
        audio.withChannel(0) { samples in
            guard samples.count > 194 else { return }
            for index in 0..<(samples.count - 193) where samples[index] < 0 && samples[index + 1] >= 0 {
                var hash = StableHash()
                for start in [1, 65, 129] {
                    var word: UInt64 = 0
                    for bit in 0..<64 where samples[index + start + bit] >= 0 { word |= 1 << UInt64(bit) }
                    hash.combine(word)
                }
                if hash.value % 16 == 0 { words.insert(hash.value) }
            }
        }
        return words
    }
}
