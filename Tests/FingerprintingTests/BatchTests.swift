import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Enrolment and matching of files.
struct BatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let wave = try #require(AudioEncoding("wav-pcm16"))
        for place in 0..<3 {
            try AudioFile.write(
                SongCatalog.songs[place].render(from: 0, seconds: 20), to: folder.file("track \(place).wav"),
                as: wave)
        }
    }

    @Test func foldersFilesAndSignaturesBecomeReferences() throws {
        let sub = try folder.makeFolder("sub")
        try SongCatalog.references[5].signature.write(to: sub + "/five.earsignature")
        let sources = try ReferenceSource.find([folder.path])
        #expect(sources.map(\.id) == ["five", "track 0", "track 1", "track 2"])
        let alone = try CatalogBuilder(jobs: 1).build(sources)
        let together = try CatalogBuilder(jobs: 3).build(sources)
        #expect(alone.references == together.references)
        #expect(alone.warnings.isEmpty)
        #expect(alone.references[0].signature == SongCatalog.references[5].signature)
        #expect(alone.references[1].mediaItem.title == "track 0")
    }

    @Test func clashingNamesTakeThatOfTheFolder() throws {
        let sub = try folder.makeFolder("sub")
        try SongCatalog.references[5].signature.write(to: sub + "/track 1.earsignature")
        var renamed: [String] = []
        let found = try ReferenceSource.find([folder.path], renaming: { renamed.append($0.id) })
        let own = (folder.path as NSString).lastPathComponent
        #expect(Set(found.map(\.id)) == ["sub/track 1", "\(own)/track 1", "track 0", "track 2"])
        #expect(Set(renamed) == ["sub/track 1", "\(own)/track 1"])
        _ = try folder.makeFolder("deeper")
        let deeper = try folder.makeFolder("deeper/sub")
        try SongCatalog.references[5].signature.write(to: deeper + "/track 1.earsignature")
        let error = #expect(throws: FingerprintingError.self) { try ReferenceSource.find([folder.path]) }
        #expect(error?.description.contains("sub/track 1.earsignature") == true)
        try FileManager.default.removeItem(atPath: deeper)
        let sources = try ReferenceSource.find([folder.path], naming: .relativePath)
        #expect(sources.map(\.id).sorted() == ["sub/track 1", "track 0", "track 1", "track 2"])
        #expect(sources.first { $0.id == "sub/track 1" }?.mediaItem.title == "track 1")
    }

    @Test func nothingToDoIsAnError() throws {
        let empty = try folder.makeFolder("empty")
        #expect(throws: FingerprintingError.self) { try ReferenceSource.find([]) }
        #expect(throws: FingerprintingError.self) { try ReferenceSource.find([empty]) }
        #expect(throws: AudioFileError.self) { try ReferenceSource.find([folder.file("missing")]) }
    }

    @Test func badFileIsNamed() throws {
        try AtomicFile.write("this is no audio", to: folder.file("text.wav"))
        let sources = try ReferenceSource.find([folder.path])
        let error = #expect(throws: (any Error).self) { try CatalogBuilder(jobs: 2).build(sources) }
        #expect(error.map { "\($0)".contains("text.wav") } == true)
    }

    @Test func invertedAndSilentReferencesAreWarnedOf() throws {
        let wave = try #require(AudioEncoding("wav-float"))
        let song = SongCatalog.songs[3].render(from: 0, seconds: 5)
        let inverted = AudioBuffer(
            samples: song.samples + song.samples.map { -$0 }, sampleRate: song.sampleRate, channelCount: 2)
        try AudioFile.write(inverted, to: folder.file("upside down.wav"), as: wave)
        try AudioFile.write(
            AudioBuffer(silentFrames: 30_000, sampleRate: 16_000), to: folder.file("hush.wav"), as: wave)
        let outcome = try CatalogBuilder(jobs: 2).build(ReferenceSource.find([folder.path]))
        #expect(outcome.warnings.count == 2)
        #expect(outcome.warnings[0].contains("hush.wav") && outcome.warnings[1].contains("upside down.wav"))
    }

    @Test(
        "A reference that is a loop is warned of with its period, and no song is",
        arguments: [1.7, 2.96, 7.31])
    func loopsAreWarnedOf(_ period: Double) throws {
        let song = SongCatalog.songs[2].render(from: 3, seconds: period, sampleRate: 16_000)
        let times = Int(40 / period)
        let loop = AudioBuffer(
            samples: Array(repeatElement(song.samples, count: times).joined()), sampleRate: 16_000)
        let wave = try #require(AudioEncoding("wav-float"))
        try AudioFile.write(loop, to: folder.file("loop.wav"), as: wave)
        try AudioFile.write(SongCatalog.songs[2].render(), to: folder.file("song.wav"), as: wave)
        let warnings = try CatalogBuilder(jobs: 2).build(ReferenceSource.find([folder.path])).warnings
        #expect(warnings.count == 1 && warnings[0].contains("loop.wav: it is a loop of about"))
        let stated = try #require(warnings[0].firstMatch(of: /about ([0-9.]+) s/)).1
        let periods = try #require(Double(stated)) / period
        #expect(abs(periods - periods.rounded()) * period < 0.06 && periods > 0.9, "\(stated)")
    }

    @Test func minimumScoreNamesMore() throws {
        let wave = try #require(AudioEncoding("wav-pcm16"))
        let stranger = folder.file("stranger.wav")
        try AudioFile.write(ScoreSong(seed: 900, seconds: 5).render(), to: stranger, as: wave)
        #expect(BatchMatcher(catalog: SongCatalog.catalog).match(stranger).answers.isEmpty)
        let all = BatchMatcher(catalog: SongCatalog.catalog, minimumScore: -1000).match(stranger).answers
        #expect(all.count > 1)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.score >= $1.score })
        let least = all[1].score
        #expect(
            BatchMatcher(catalog: SongCatalog.catalog, minimumScore: least).match(stranger).answers.count == 2
        )
    }
}
