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

    static let contestant = Contestant(
        name: "signs", summary: "exact copies",
        tunables: ["x", "y", "z"].map { name in
            TunableSetting(name: name, in: 0...1, standard: name == "x" ? 0.7 : 0.3, summary: "")
        }
    ) { SignMatcher(x: $0["x"] ?? 0.7, y: $0["y"] ?? 0.3) }

    static let asked = Mutex(0)
    static let prepared = Mutex(0)
    /// After this many queries a test is stopped.
    static let stopsAt = Mutex(Int.max)

    let name = "signs"
    let version = "1"
    var settings: [String: String] { ["x": "\(x)", "y": "\(y)"] }

    private let x: Double
    private let y: Double
    private let owners = Mutex<[UInt64: String]>([:])

    init(x: Double, y: Double) {
        self.x = x
        self.y = y
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
        let limit = Self.stopsAt.withLock { $0 }
        try Self.asked.withLock { asked in
            guard asked < limit else { throw TuningError("stopped") }
            asked += 1
        }
        if x > 0.95 { throw Failure() }
        let words = Self.words(of: query.audio)
        var votes: [String: Int] = [:]
        owners.withLock { owners in
            for word in words { if let owner = owners[word] { votes[owner, default: 0] += 1 } }
        }
        guard let best = votes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return [] }
        let difficulty = Double(words.reduce(0, ^) >> 11) * 0x1p-53
        let quality = 1 - abs(x - 0.7) - 0.5 * abs(y - 0.3)
        guard 2 * best.value > words.count, difficulty < quality else { return [] }
        return [
            Candidate(
                referenceID: best.key, offsetSeconds: 0, score: quality - difficulty, isAccepted: true)
        ]
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
