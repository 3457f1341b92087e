import AudioCore
import Fingerprinting
import TestSupport

/// A fixed piece of work to count instructions: it analyses one recording and matches eight queries.
///
/// All audio is synthetic, and the work runs on one thread. `scripts/checks/cost.sh` counts the functions
/// `countedExtraction` and `countedMatching` by their names. Their input is made before.
@main
struct FixedWork {
    static func main() throws {
        let recording = recording()
        let songs = (0..<6).map { ScoreSong(seed: 100 + $0, seconds: 20) }
        let catalog = try Catalog(
            references: try songs.enumerated().map { place, song in
                Reference(
                    id: "song \(place)",
                    signature: try SignatureExtractor.signature(of: song.render(sampleRate: 11_025)))
            })
        let queries = queries(songs)

        // The first use makes tables and plans, which do not count.
        let uncounted = Outcome(peaks: try extract(recording), found: try match(catalog, queries))
        var counted = Outcome()
        try countedExtraction(recording, &counted)
        try countedMatching(catalog, queries, &counted)
        let expected = queries.indices.map { $0 < 4 }
        guard counted == uncounted, counted.peaks > 100, counted.found == expected else {
            throw WrongWork(outcome: counted)
        }
        print("\(counted.peaks) peaks, \(counted.found.count { $0 }) of \(queries.count) queries found")
    }

    private struct Outcome: Equatable {
        var peaks = 0
        var found: [Bool] = []
    }

    private struct WrongWork: Error {
        let outcome: Outcome
    }

    // These must not end with a call: the counter takes the jump into a last call for the function's end.

    @inline(never)
    private static func countedExtraction(_ recording: AudioBuffer, _ outcome: inout Outcome) throws {
        outcome.peaks += try extract(recording)
    }

    @inline(never)
    private static func countedMatching(
        _ catalog: Catalog, _ queries: [AudioBuffer], _ outcome: inout Outcome
    ) throws {
        outcome.found += try match(catalog, queries)
    }

    @inline(never)
    private static func extract(_ recording: AudioBuffer) throws -> Int {
        try SignatureExtractor.signature(of: recording).peaks.count
    }

    @inline(never)
    private static func match(_ catalog: Catalog, _ queries: [AudioBuffer]) throws -> [Bool] {
        try queries.map { try catalog.match(query: $0).first?.isAccepted ?? false }
    }

    /// Ten seconds of stereo at 44.1 kHz.
    private static func recording() -> AudioBuffer {
        let left = ScoreSong(seed: 1, seconds: 10).render(sampleRate: 44_100).samples
        // The other channel is 10 ms later.
        let right = left.suffix(441) + left.dropLast(441)
        return AudioBuffer(samples: left + right, sampleRate: 44_100, channelCount: 2)
    }

    /// Queries of five seconds: two of songs in the catalog, two of songs at 1.03 times their speed, four of other songs.
    private static func queries(_ songs: [ScoreSong]) -> [AudioBuffer] {
        let known = (0..<4).map { place in
            let speed = place < 2 ? 1 : 1.03
            return songs[place].render(
                from: 3 + Double(place), seconds: 5, sampleRate: 11_025, timeRatio: speed,
                frequencyRatio: speed)
        }
        return known + (0..<4).map { ScoreSong(seed: 200 + $0, seconds: 5).render(sampleRate: 11_025) }
    }
}
