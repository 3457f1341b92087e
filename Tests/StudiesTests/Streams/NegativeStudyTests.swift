import AudioCore
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Studies
import TestSupport
import Testing

@Suite struct NegativeStudyTests {
    private let folder: TemporaryFolder
    private let corpus: Corpus
    private let material: CorpusMaterial

    init() throws { try self.init(corpora: PackageFolder.shortCorpora) }

    private init(corpora: String) throws {
        folder = try TemporaryFolder()
        let library = try CorpusLibrary(recipeFolder: corpora)
        corpus = try Corpus.open(named: "synthetic", in: library)
        material = try CorpusMaterial(library: library, music: corpus)
    }

    /// Names a reference after every 100 s.
    private static let talkative = Contestant(name: "talkative", summary: "") {
        ScriptedListener(script: [.at(100, "nobody")], period: 100)
    }

    private func run(
        _ contestant: Contestant = talkative, chains: [String], seed: UInt64 = 1,
        half: CorpusHalf = .test, name: String = "negatives", jobs: Int = 2, isFresh: Bool = false
    ) throws -> NegativeStreams {
        let origin = Provenance(
            matcher: .init(name: contestant.name, version: "1", settings: [:], digest: contestant.name),
            request: RunRequest(), corpusName: corpus.name, corpusDigest: corpus.lockDigest, half: half,
            seed: seed, commit: "", toolVersions: [:], startedAt: "")
        let study = NegativeStudy(
            corpus: corpus, material: material, contestant: contestant, half: half, chains: chains,
            seed: seed, blockFrames: 44_100)
        let run = try StudyRun(of: study, in: folder.file(name), origin: origin, isFresh: isFresh, jobs: jobs)
        return try study.run(in: run, origin: origin)
    }

    @Test func halvesPlayDifferentRecordings() throws {
        let played = try CorpusHalf.allCases.map { half in
            let streams = try run(chains: ["[]"], half: half, name: half.rawValue)
            return Set(streams.chains[0].passages.map(\.trackID))
        }
        #expect(played[0].isDisjoint(with: played[1]))
        #expect(played[0].union(played[1]) == Set(corpus.tracks.map(\.id)))
    }

    @Test func everyRecordingOfTheHalfIsPlayedOnceUnderEachChain() throws {
        let streams = try run(chains: ["[]", "[{speed: {percent: 4}}]"])
        let played = corpus.tracks.filter { $0.half == .test }
        #expect(streams.chains.map(\.chain) == ["[]", "[{speed: {percent: 4}}]"])
        for chain in streams.chains {
            #expect(chain.passages.map(\.trackID) == played.map(\.id) && chain.failures.isEmpty)
        }
        let clean = streams.chains[0]
        let length = played.reduce(0) { $0 + $1.durationSeconds - 1 }
        #expect(abs(clean.playedSeconds - length) < 0.01)
        for passage in clean.passages { #expect(abs(passage.span.lower - 0.5) < 1e-4) }
        let fast = streams.chains[1]
        #expect(fast.playedSeconds < clean.playedSeconds)
        for passage in fast.passages {
            let (span, length) = (passage.span, 30.0)
            #expect(span.lower >= 0 && span.upper <= length, "nothing beyond the recording")
        }
        // The second chain gets the same audio as the first, and a little more at the end of each recording.
        let more = streams.distinctSeconds - clean.playedSeconds
        #expect(more >= -0.1 && more < 0.3 * Double(played.count))
        #expect(clean.falseMatches.count == Int(clean.playedSeconds / 100))
        #expect(streams.falseMatchesPerHour.events == streams.chains.reduce(0) { $0 + $1.falseMatches.count })
        // Hours of the same audio under two chains are no evidence of their own.
        #expect(streams.falseMatchesPerHour.exposure == streams.distinctSeconds / 3600)
        #expect(streams.distinctSeconds < 0.6 * streams.playedSeconds)
        let match = try #require(clean.falseMatches.first)
        #expect(match.referenceID == "nobody" && match.elapsedSeconds == 100 && match.score == 9)
    }

    @Test func ourEngineNamesNothing() throws {
        // Memory is read after ten minutes, and the short corpus has fewer.
        let long = try Self(corpora: PackageFolder.path + "/Corpora")
        let streams = try long.run(Contestants.earshot, chains: ["[]"])
        #expect(streams.falseMatchesPerHour.events == 0)
        #expect(streams.chains[0].processorSeconds > 0)
        let early = try #require(streams.chains[0].residentBytesAfterTenMinutes)
        #expect(early > 1_000_000 && streams.chains[0].residentBytesAtEnd > 1_000_000)
    }

    @Test func finishedChainsAreNotPlayedAgain() throws {
        let chains = ["[]", "[{gain: {decibels: -6}}]"]
        let first = try run(chains: [chains[0]])
        let again = try run(chains: [chains[0]])
        #expect(again.chains == first.chains, "processor time and all: nothing was played")
        let both = try run(chains: chains.reversed())
        let stored = try RunFolder(existing: folder.file("negatives"))
        #expect(try NegativeStreams(stored.onlyStudy(), in: stored.store).chains == both.chains)
        #expect(both.chains.map(\.chain) == chains.reversed() && both.chains[1] == first.chains[0])
        // What was found does not depend on how it came about.
        let atOnce = try run(chains: chains, name: "other", jobs: 1)
        #expect(Set(atOnce.chains.map(\.falseMatches)) == Set(both.chains.map(\.falseMatches)))
    }

    @Test func mistakesAreNamed() throws {
        var error = try #require(throws: MeasurementError.self) {
            try run(chains: ["[{speed: {percent: 2}}]", "[]", "[{speed: {percent: 2.0}}]"])
        }
        #expect(error.description.contains("are the same"))
        _ = try run(chains: ["[]"])
        error = try #require(throws: MeasurementError.self) { try run(chains: ["[]"], seed: 2) }
        #expect(error.description.contains("another matcher, corpus, half, seed, block or degradations"))
        #expect(throws: MeasurementError.self) { try run(chains: ["[]"], half: .tuning) }
        _ = try run(chains: ["[]"], seed: 2, isFresh: true)
        #expect(throws: MeasurementError.self) { try run(chains: ["[]"]) }
        let name = folder.file("negatives/trials.sqlite")
        try Data("no database".utf8).write(to: URL(fileURLWithPath: name))
        let damage = try #require(throws: StoreError.self) { try run(chains: ["[]"], seed: 2) }
        #expect(damage.description.contains(name))
        let deaf = try #require(Contestants.named("null"))
        error = try #require(throws: MeasurementError.self) {
            try run(deaf, chains: ["[]"], name: "deaf")
        }
        #expect(error.description.contains("does not listen"))
        #expect(throws: (any Error).self) { try run(chains: ["[{nonsense: {}}]"], name: "nonsense") }
    }
}
