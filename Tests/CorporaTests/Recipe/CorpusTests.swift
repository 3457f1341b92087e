import AudioCore
import AudioIO
import Corpora
import EvaluationTestSupport
import Foundation
import MatcherAdapters
import SystemIO
import TestSupport
import Testing

@Suite struct CorpusTests {
    private func synthetic(_ fixture: CorpusFixture, tracks: Int = 12) throws -> CorpusRecipe {
        try fixture.recipe(
            "formula",
            """
            description: A formula.
            licence: none
            minimumSeconds: 1
            synthetic: {tracks: \(tracks), seconds: 1.5, seed: 9}
            """)
    }

    @Test func syntheticTracksNeedNoFiles() async throws {
        let fixture = try CorpusFixture()
        let recipe = try synthetic(fixture)
        let lock = try await fixture.lock(recipe)
        let corpus = try Corpus.open(named: "formula", in: fixture.library)
        #expect(corpus.lockDigest == lock.digest)
        #expect(corpus.tracks.count == 12)
        #expect(corpus.tracks[0].id == "synthetic/track-01")
        for track in corpus.tracks {
            #expect(track.path == nil)
            #expect(track.durationSeconds == 1.5)
            let file = try #require(lock.files.first { $0.id == track.id })
            #expect(SplitRule.role(ofDigest: file.sha256) == track.role)
        }
        let audio = try corpus.audio(of: corpus.tracks[3])
        #expect(audio.frameCount == 66_150 && audio.channelCount == 2 && audio.sampleRate == 44_100)
        try corpus.verify()
        #expect(CorpusSummary(corpus).total.tracks == 12)
    }

    /// Whole folders of damaged, short, empty and missing copies; every bit of the samples counts, −0 as well.
    @Test func aPieceIsKeptBitByBitAndADamagedCopyIsMadeAgain() async throws {
        let fixture = try CorpusFixture()
        _ = try await fixture.lock(synthetic(fixture, tracks: 3))
        let corpus = try Corpus.open(named: "formula", in: fixture.library)
        func bits(_ track: Track) throws -> [UInt32] { try corpus.audio(of: track).samples.map(\.bitPattern) }
        let made = try corpus.tracks.map(bits)
        #expect(made.allSatisfy { $0.contains(0x8000_0000) }, "there is no −0 to keep")
        let folder = fixture.library.cacheFolder + "/decoded/synthetic/"
        let kept = try corpus.tracks.map { folder + (try #require(corpus.checksums[$0.id])) }
        let whole = try kept.map(bytes)
        #expect(try corpus.tracks.map(bits) == made)
        var generator = SeededGenerator(seed: 1, "damage")
        for round in 0..<12 {
            var damaged = whole[round % 3]
            switch round {
            case 0: damaged = []
            case 1: damaged.removeLast()
            case 2: damaged = whole[0]
            default: damaged[generator.index(below: damaged.count)] ^= 1 << UInt8(round % 8)
            }
            try AtomicFile.write(damaged, to: kept[round % 3])
            #expect(try bits(corpus.tracks[round % 3]) == made[round % 3])
            #expect(try bytes(of: kept[round % 3]) == whole[round % 3], "copy \(round) is not made again")
        }
        // Where nothing can be kept, the piece is made.
        fixture.emptyCache()
        try Data("a file".utf8).write(to: URL(fileURLWithPath: fixture.library.cacheFolder))
        #expect(try corpus.tracks.map(bits) == made)
    }

    /// A tune that only `ffmpeg` decodes; `scripts/setup.sh ffmpeg` installs it.
    @Test func whatAProgramDecodedIsKeptAndChecked() async throws {
        let fixture = try CorpusFixture()
        let wav = fixture.folder.file("a.wav")
        let tune = fixture.folder.file("a.mka")
        try AudioFile.write(
            TestSignals.noise(seed: 1, seconds: 2, sampleRate: 8000), to: wav,
            as: try #require(AudioEncoding("wav-pcm16")))
        let made = try ChildProcess.run(
            "ffmpeg", ["-nostdin", "-i", wav, "-c:a", "flac", tune], timeoutSeconds: 60, maximumOutputBytes: 0
        )
        try #require(made.end == .exited(0), "ffmpeg is needed for this test")
        try fixture.buildPackage(
            "tune-music", version: "1", files: ["usr/share/tunes/a.mka": bytes(of: tune)])
        let recipe = try fixture.recipe(
            "tunes",
            """
            description: A tune.
            licence: none
            minimumSeconds: 0.5
            packages: [{name: tune-music, files: [usr/share/tunes/*]}]
            """)
        _ = try await fixture.lock(recipe)
        let corpus = try Corpus.open(named: "tunes", in: fixture.library)
        let track = try #require(corpus.tracks.first)
        let audio = try corpus.audio(of: track)
        #expect(audio == (try AudioFile.read(wav)))
        let decoded = fixture.library.cacheFolder + "/decoded"
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: decoded).first)
        let kept = "\(decoded)/\(folder)/\(try #require(corpus.checksums[track.id])).flac"
        var copy = try bytes(of: kept)
        for place in [copy.count / 3, copy.count / 2] { copy[place] ^= 0x40 }
        try AtomicFile.write(copy, to: kept)
        #expect(try corpus.audio(of: track) == audio, "a damaged copy is made anew")
        // Now only the copy can be read.
        let path = try #require(track.path)
        try AtomicFile.write((1...bytes(of: path).count).map { UInt8(truncatingIfNeeded: 37 * $0) }, to: path)
        #expect(try corpus.audio(of: track) == audio)
    }

    private func bytes(of path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test func aLockOfOtherSamplesIsDetected() async throws {
        let fixture = try CorpusFixture()
        let lock = try await fixture.lock(synthetic(fixture))
        let digest = lock.files[4].sha256
        let forged = lock.text.replacing(digest, with: String(digest.reversed()))
        try Data(forged.utf8).write(to: URL(fileURLWithPath: fixture.library.lockPath(named: "formula")))
        let corpus = try Corpus.open(named: "formula", in: fixture.library)
        do {
            try corpus.verify()
            Issue.record("a forged checksum was believed")
        } catch let error as CorpusError {
            #expect(error.code == .checksumMismatch)
            #expect(
                error.description.contains("seed-9/track-05: expected SHA-256 \(String(digest.reversed()))"))
            #expect(error.description.contains("found \(digest)"))
        }
        let error = #expect(throws: CorpusError.self) { try corpus.audio(of: corpus.tracks[4]) }
        #expect(error?.code == .checksumMismatch, "other samples than those of the lock are taken")
    }

    @Test func aChangedFormulaNeedsANewLock() async throws {
        let fixture = try CorpusFixture()
        _ = try await fixture.lock(synthetic(fixture))
        _ = try synthetic(fixture, tracks: 13)
        do {
            _ = try Corpus.open(named: "formula", in: fixture.library)
            Issue.record("an old lock was taken")
        } catch let error as CorpusError {
            #expect(error.code == .notLocked)
        }
    }

    @Test func anUndecodableFilePreventsTheComparison() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let tune = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 8000)
        try fixture.buildPackage(
            "tune-music", version: "1",
            files: [
                "usr/share/tunes/broken.wav": Array("no audio".utf8),
                "usr/share/tunes/first.wav": AudioFile.encode(tune, as: wav),
            ])
        let said = OwnRecordings.Said()
        let locker = CorpusLocker(
            fetcher: CorpusFetcher(library: fixture.library, source: fixture.source)
        ) { said.add($0) }
        let matcher = try Contestants.earshot.make()
        await #expect(throws: AudioFileError.self) { try await locker.lock(recipe, matcher: matcher) }
        #expect(said.all == ["decoding 2 files"])
    }

    @Test func anEmptyFileIsLeftOutOfTheLock() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let tune = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 8000)
        try fixture.buildPackage(
            "tune-music", version: "1",
            files: [
                "usr/share/tunes/empty.wav": [],
                "usr/share/tunes/first.wav": AudioFile.encode(tune, as: wav),
            ])
        let lock = try await fixture.lock(recipe)
        #expect(lock.files.map(\.id) == ["tune-music/first.wav"])
        fixture.emptyCache()
        _ = try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        #expect(try Corpus.open(named: recipe.name, in: fixture.library).tracks.count == 1)
    }

    @Test func aShorterFileIsNotOpened() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        let lock = try await fixture.lock(recipe)
        let path = fixture.library.path(of: lock.files[1])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.dropLast().write(to: URL(fileURLWithPath: path))
        do {
            _ = try Corpus.open(named: "tunes", in: fixture.library)
            Issue.record("a truncated file was taken")
        } catch let error as CorpusError {
            #expect(error.code == .notFetched)
            #expect(
                error.description.contains("second.wav has \(bytes.count - 1) bytes, expected \(bytes.count)")
            )
        }
    }

    /// The first file of a class decides the role of all, and any two members have an offset.
    @Test func aClassHasOneRoleAndOneTruth() async throws {
        let fixture = try CorpusFixture()
        let lock = try await fixture.lock(synthetic(fixture))
        var files = lock.files
        let first = files[2].id
        for (index, offset) in [(2, 0.0), (5, 4.5), (7, -1.0), (9, nil)] as [(Int, Double?)] {
            files[index].classID = first
            files[index].offsetSeconds = offset
        }
        let joined = CorpusLock(minimumSeconds: lock.minimumSeconds, versions: [:], files: files)
        try Data(joined.text.utf8).write(to: URL(fileURLWithPath: fixture.library.lockPath(named: "formula")))
        let corpus = try Corpus.open(named: "formula", in: fixture.library)
        let members = corpus.tracks.filter { $0.classID == first }
        #expect(members.map(\.id) == [2, 5, 7, 9].map { files[$0].id })
        let role = try #require(SplitRule.role(ofDigest: files[2].sha256))
        #expect(members.allSatisfy { $0.role == role })
        let offsets = members[1].classMembers.map(\.offsetSeconds)
        #expect(offsets == [4.5, 0, 5.5, nil])
        #expect(members[3].classMembers.map(\.offsetSeconds) == [nil, nil, nil, 0])
    }
}
