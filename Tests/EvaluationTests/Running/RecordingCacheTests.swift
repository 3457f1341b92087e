import AudioCore
import Corpora
import Evaluation
import EvaluationTestSupport
import Foundation
import TestSupport
import Testing

@Suite struct RecordingCacheTests {
    private let own: OwnRecordings
    private let corpus: Corpus
    private let folder: TemporaryFolder

    init() throws {
        own = try OwnRecordings()
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        corpus = try own.corpus()
        folder = try TemporaryFolder()
    }

    private func removeRecordings() throws {
        for track in corpus.tracks { try FileManager.default.removeItem(atPath: #require(track.path)) }
    }

    @Test func aKeptRecordingIsDecodedOnce() throws {
        let spool = try #require(QuerySpool(folder: folder.path))
        let cache = RecordingCache(corpus: corpus, capacity: 1, spool: spool)
        let decoded = try corpus.tracks.map { try cache.decode($0, isKept: $0 == corpus.tracks[0]) }
        // The file has no name, so a kill leaves nothing behind.
        #expect(folder.names().isEmpty)
        try removeRecordings()
        #expect(try cache.recording(corpus.tracks[0].id) == decoded[0])
        #expect(throws: (any Error).self) { try cache.recording(corpus.tracks[1].id) }
    }

    @Test func aFullSpoolOnlyDecodesAgain() throws {
        for spool in [
            QuerySpool(folder: folder.path, mostBytes: 1000),
            QuerySpool(folder: folder.path, spareBytes: 1 << 60), QuerySpool(folder: "/nonexistent"),
        ] {
            let cache = RecordingCache(corpus: corpus, capacity: 1, spool: spool)
            let decoded = try corpus.tracks.map { try cache.decode($0, isKept: true) }
            #expect(spool?.audio(for: corpus.tracks[0].id) == nil)
            #expect(try corpus.tracks.map { try cache.recording($0.id) } == decoded)
        }
    }

    @Test func aSpoolGivesBackWhatItHolds() throws {
        let spool = try #require(QuerySpool(folder: folder.path))
        let sounds = (0..<5).map {
            TestSignals.noise(seed: $0, seconds: 0.1, sampleRate: 8000, channelCount: 1 + Int($0 % 2))
        }
        for (number, sound) in sounds.enumerated() { #expect(spool.keep(sound, for: "\(number)")) }
        for (number, sound) in sounds.enumerated() { #expect(spool.audio(for: "\(number)") == sound) }
        #expect(spool.audio(for: "5") == nil)
    }
}
