import AudioCore
import Evaluation
import Foundation
import Testing

@Suite struct ShardTests {
    /// Any number of shards divides any number of trials; each trial is in exactly one.
    @Test func shardsArePartitions() {
        var generator = SeededGenerator(seed: 6, "shards")
        for round in 0..<60 {
            let count = round < 12 ? round + 1 : 1 + generator.index(below: 400)
            let trials = round % 7 == 0 ? generator.index(below: 5) : generator.index(below: 1000)
            let shards = (1...count).compactMap { Shard(number: $0, count: count) }
            #expect(shards.count == count)
            let held = shards.map { shard in (0..<trials).filter(shard.holds(trialAt:)) }
            #expect(held.flatMap(\.self).sorted() == Array(0..<trials), "\(trials) trials, \(count) shards")
            #expect(held.map(\.count) == shards.map { $0.size(of: trials) })
        }
    }

    /// A cell is a run of neighbouring trials.
    ///
    /// Its trials are spread over the shards to within one.
    @Test func cellsAreSpreadEvenly() {
        var generator = SeededGenerator(seed: 7, "cells")
        for _ in 0..<50 {
            let count = 1 + generator.index(below: 50)
            let first = generator.index(below: 10_000)
            let cell = first..<(first + generator.index(below: 300))
            let sizes = (1...count).compactMap { Shard(number: $0, count: count) }
                .map { shard in cell.count(where: shard.holds(trialAt:)) }
            #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
        }
    }

    @Test func textReadsBackAndInvalidTextIsRefused() throws {
        for count in [1, 2, 8, 10_000] {
            for number in Set([1, (count + 1) / 2, count]) {
                let shard = try #require(Shard(number: number, count: count))
                #expect(Shard(shard.description) == shard)
                let json = try JSONEncoder().encode([shard])
                #expect(try JSONDecoder().decode([Shard].self, from: json) == [shard])
            }
        }
        let nonsense = [
            "", "/", "1", "1/", "/1", "0/3", "4/3", "-1/3", "1/-3", "+1/3", "1/3/3", " 1/3", "1/0", "1/10001",
            "a/b", "1.0/3", "99999999999999999999/3", "١/٣",
        ]
        for text in nonsense {
            #expect(Shard(text) == nil, "\(text)")
            let json = try JSONEncoder().encode([text])
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([Shard].self, from: json) }
        }
    }

    @Test func rangesOfNumbersAreShort() {
        #expect(numberRanges([]) == "")
        #expect(numberRanges([4]) == "4")
        #expect(numberRanges([1, 2, 3, 5, 7, 8]) == "1–3, 5, 7–8")
    }

    @Test(arguments: [
        ("plan", "plan"), ("a/b-c_d.e+1,2:3@4%=5", "a/b-c_d.e+1,2:3@4%=5"), ("", "''"), ("a b", "'a b'"),
        ("it's", #"'it'\''s'"#), ("$(x)", "'$(x)'"), ("a\nb", "'a\nb'"), ("é", "'é'"),
    ])
    func wordsOfAShellAreQuoted(_ text: String, _ word: String) {
        #expect(ShellWord.quoted(text) == word)
    }
}
