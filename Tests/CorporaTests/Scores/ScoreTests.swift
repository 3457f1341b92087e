import AudioCore
import Corpora
import Foundation
import Testing

/// Scores: reading, writing, and what renditions change.
@Suite struct ScoreTests {
    /// A piece of drums and three other channels, drawn from a seed.
    private static func score(seed: UInt64, seconds: Double = 40) -> Score {
        var generator = SeededGenerator(seed: seed, "score")
        let channels: [UInt8] = [0, 2, 5, Score.drums]
        var notes = (0..<400).map { _ in
            let start = (generator.uniform(in: 0...seconds) * 1e4).rounded() / 1e4
            return Score.Note(
                start: start, end: start + (generator.uniform(in: 0.05...2) * 1e4).rounded() / 1e4,
                channel: channels[generator.index(below: channels.count)],
                key: UInt8(20 + generator.index(below: 80)), velocity: UInt8(1 + generator.index(below: 127)))
        }
        notes.sort { $0.start < $1.start }
        return Score(
            notes: notes,
            controls: channels.map { Score.Control(seconds: 0, bytes: [0xC0 | $0, UInt8($0 * 3)]) }
                + [Score.Control(seconds: 3, bytes: [0xB0, 7, 90])])
    }

    private static let seeds: [UInt64] = [1, 2, 3, 4, 5]

    @Test(arguments: seeds) func aWrittenScoreReadsBack(seed: UInt64) throws {
        let score = Self.score(seed: seed)
        let read = try MIDIFile.score(MIDIFile.bytes(of: score), name: "t")
        #expect(read.controls.map(\.bytes) == score.controls.map(\.bytes))
        #expect(zip(read.controls, score.controls).allSatisfy { abs($0.seconds - $1.seconds) < 1e-6 })
        #expect(read.notes.count == score.notes.count)
        func order(_ score: Score) -> [[Int]] {
            score.notes.map {
                [Int(($0.start * 1e4).rounded()), Int($0.channel), Int($0.key), Int($0.velocity)]
            }
            .sorted { $0.lexicographicallyPrecedes($1) }
        }
        #expect(order(read) == order(score))
    }

    /// Whatever a file holds, reading it ends with a score or an error.
    @Test(arguments: seeds) func aDamagedFileIsAnError(seed: UInt64) throws {
        let bytes = MIDIFile.bytes(of: Self.score(seed: seed, seconds: 2))
        var generator = SeededGenerator(seed: seed, "damage")
        for length in [0, 3, 8, 13, 20, bytes.count / 2, bytes.count - 1] {
            #expect(throws: CorpusError.self) {
                try MIDIFile.score(Array(bytes.prefix(length)), name: "t")
            }
        }
        for _ in 0..<300 {
            var damaged = bytes
            damaged[generator.index(below: bytes.count)] = UInt8(generator.index(below: 256))
            _ = try? MIDIFile.score(damaged, name: "t")
        }
    }

    /// Running status, a tempo that changes and a note that never ends.
    @Test func aFileOfAnotherProgramIsRead() throws {
        let track: [UInt8] = [
            0, 0xFF, 0x51, 3, 0x07, 0xA1, 0x20, 0, 0x90, 60, 100, 96, 64, 90, 0, 60, 0, 0, 0xFF, 0x51, 3,
            0x0F, 0x42, 0x40, 96, 0xFF, 0x2F, 0,
        ]
        let head: [UInt8] = Array("MThd".utf8) + [0, 0, 0, 6, 0, 1, 0, 1, 0, 96]
        let bytes = head + Array("MTrk".utf8) + [0, 0, 0, UInt8(track.count)] + track
        let score = try MIDIFile.score(bytes, name: "t")
        #expect(score.notes.map(\.start) == [0, 0.5])
        #expect(score.notes.map(\.end) == [0.5, 0.5])
        #expect(score.notes.map(\.key) == [60, 64])
    }

    @Test func anArchiveGivesItsScores() throws {
        let midi = MIDIFile.bytes(of: Self.score(seed: 1, seconds: 1))
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        func named(_ text: String) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: 8 - text.utf8.count)
        }
        let lumps = [("D_ONE", midi), ("MAP01", [1, 2, 3, 4, 5]), ("D_TWO", midi), ("D_ONE", midi)]
        var (body, list): ([UInt8], [UInt8]) = ([], [])
        for (name, content) in lumps {
            list += little(12 + body.count) + little(content.count) + named(name)
            body += content
        }
        let archive = Array("PWAD".utf8) + little(lumps.count) + little(12 + body.count) + body + list
        let file = try ScoreFile(Data(archive), name: "t.wad")
        #expect(file.entries.map(\.name) == ["D_ONE", "D_TWO"])
        #expect(file.entries.allSatisfy { $0.bytes == midi })
        for length in [4, 11, archive.count - 1] {
            #expect(throws: CorpusError.self) {
                try ScoreFile(Data(archive.prefix(length)), name: "t.wad")
            }
        }
    }

    @Test(arguments: seeds) func anotherMixChangesLevelsOnly(seed: UInt64) {
        let score = Self.score(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let mixed = score.mixedAgain(using: &generator)
        #expect(mixed.notes == score.notes)
        let volumes = mixed.controls.filter { $0.seconds == 0 && $0.isVolume }
        #expect(Set(volumes.map(\.channel)) == Set(score.channels))
        #expect(volumes.count { $0.bytes[2] < 80 } == 2 && volumes.count { $0.bytes[2] >= 100 } == 2)
    }

    @Test(arguments: seeds) func anotherTakeKeepsTheNotes(seed: UInt64) {
        let score = Self.score(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let take = score.playedAgain(using: &generator)
        func keys(_ score: Score) -> [[UInt8]] {
            score.notes.map { [$0.channel, $0.key] }.sorted { $0.lexicographicallyPrecedes($1) }
        }
        #expect(keys(take) == keys(score))
        #expect(take.notes != score.notes && take.controls == score.controls)
        #expect(zip(take.notes, score.notes).allSatisfy { abs($0.start - $1.start) < 0.25 })
        #expect(take.notes.allSatisfy { $0.end > $0.start && $0.start >= 0 })
    }

    @Test(arguments: seeds) func anotherTempoAndKeyMovesAllNotesAlike(seed: UInt64) throws {
        let score = Self.score(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let other = score.inOtherTempoAndKey(using: &generator)
        #expect(other.notes.count == score.notes.count)
        let pairs = zip(score.notes, other.notes).filter { $0.0.start > 1 }
        let factors = pairs.map { $1.start / $0.start }
        let factor = try #require(factors.first)
        #expect(factors.allSatisfy { abs($0 - factor) < 1e-9 })
        #expect((0.035...0.105).contains(abs(factor - 1)))
        let steps = Set(pairs.filter { $0.0.channel != Score.drums }.map { Int($1.key) - Int($0.key) })
        #expect(steps.count == 1 && (1...3).contains(abs(steps.first ?? 0)))
        #expect(pairs.allSatisfy { $0.0.channel != Score.drums || $0.0.key == $0.1.key })
        // A change of speed would raise the key of what is faster.
        #expect((factor < 1) == ((steps.first ?? 0) < 0))
    }

    @Test(arguments: seeds) func aLoopRepeats(seed: UInt64) {
        let loop = Self.score(seed: seed).looped(length: 4, total: 36)
        #expect(!loop.notes.isEmpty && Set(loop.channels).count <= 2)
        let turns = Dictionary(grouping: loop.notes) { Int($0.start / 4 + 1e-9) }
        #expect(turns.count == 9)
        let keys = turns.mapValues { $0.map(\.key) }
        #expect(Set(keys.values).count == 1)
        #expect(loop.notes.allSatisfy { $0.end <= 40 + 1e-9 })
    }

    @Test func aBeginningStartsWithItsFirstNote() {
        var score = Self.score(seed: 1)
        for index in score.notes.indices {
            score.notes[index].start += 5
            score.notes[index].end += 5
        }
        let beginning = score.beginning(seconds: 10)
        #expect(beginning.notes.map(\.start).min() == 0)
        #expect(beginning.seconds <= 10 && !beginning.controls.isEmpty)
        #expect(beginning.notes.count == score.notes.count { $0.start - score.notes[0].start < 10 })
    }
}
