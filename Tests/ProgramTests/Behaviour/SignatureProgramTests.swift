import AudioIO
import EarshotKit
import Fingerprinting
import KitTestSupport
import TestSupport
import Testing

/// Runs the programs that make and store signatures and catalogs.
@Suite struct SignatureProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

    private func music(_ name: String, song: Int, encoding: String, rate: Int) throws -> URL {
        let encoding = try #require(AudioEncoding(encoding))
        try AudioFile.write(
            SongBook.songs[song].render(sampleRate: rate), to: folder.file(name), as: encoding)
        return url(name)
    }

    /// The offset of five seconds of a song in a catalog of one reference.
    private func offset(ofSong song: Int, from start: Double, in catalog: SHCustomCatalog) throws -> Double? {
        let query = SongBook.songs[song].render(from: start, seconds: 5)
        return try catalog.engine().match(query: query).first { $0.isAccepted }?.offsetSeconds
    }

    @Test func t01MakesACatalogOfAStoredSignature() throws {
        try SongBook.signatures[0].dataRepresentation.write(to: url("lesson.shazamsignature"))
        let catalog = try ReferenceLibrary.makeCatalog(signatureAt: url("lesson.shazamsignature"))
        #expect(catalog.referenceCount == 1)
        let item = try #require(catalog.items(ofReference: 0).first)
        #expect([item.title, item.subtitle, item.artist] == ["Lesson 1", "Fractions", "Ms. Rivera"])
        #expect(item.genres == ["Education"] && !item.explicitContent)
        #expect(item.webURL == URL(string: "https://example.org/lesson1"))
        #expect(abs(try #require(try offset(ofSong: 0, from: 12, in: catalog)) - 12) < 0.005)
        #expect(try offset(ofSong: 1, from: 12, in: catalog) == nil)
        #expect(throws: (any Error).self) { try ReferenceLibrary.makeCatalog(signatureAt: url("missing")) }
    }

    @Test func t02ReadsKeysOfItsOwn() {
        chapterTest()
        let item = SHMediaItem(properties: [.chapter: 7, .payload: ["answer": 42, "tags": ["a", "b"]]])
        #expect(item.chapter == 7)
        #expect(item.payload?["answer"] as? Int == 42)
        #expect(item.payload?["tags"] as? [String] == ["a", "b"])
        #expect(SHMediaItem(properties: [:]).chapter == nil)
        #expect(SHMediaItemProperty.payload.rawValue == "org.example.payload")
    }

    @Test func t03MakesTheSignatureOfASine() throws {
        let sine = try signature(ofSine: 1000, seconds: 5)
        #expect(sine.duration == 5)
        let durable = sine.signature.peaks.filter { $0.rank == 0 }
        #expect(!durable.isEmpty)
        // The converter's images of the tone, 80 dB below it, are peaks of the high band.
        #expect(
            durable.filter { $0.frequencyHertz < 3699 }.allSatisfy { abs($0.frequencyHertz - 1000) < 2 })
    }

    @Test(arguments: [
        ("wav-pcm16", 44_100, "a.wav"), ("flac-16", 48_000, "a.flac"), ("wav-pcm16", 16_000, "b.wav"),
    ])
    func t04ConvertsAFile(encoding: String, rate: Int, name: String) throws {
        let file = try music(name, song: 1, encoding: encoding, rate: rate)
        let reference = try signature(ofFile: file)
        #expect(abs(reference.duration - 30) < 0.05)
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(reference, representing: [])
        #expect(abs(try #require(try offset(ofSong: 1, from: 20, in: catalog)) - 20) < 0.005)
        #expect(throws: (any Error).self) { try signature(ofFile: url("missing.wav")) }
    }

    @Test func t05MakesTheSignatureOfAnAsset() async throws {
        let file = try music("song.flac", song: 2, encoding: "flac-16", rate: 44_100)
        #expect(try await buildSignature(file, then: url("song.shazamsignature")) == 30)
        let stored = try SHSignature(dataRepresentation: Data(contentsOf: url("song.shazamsignature")))
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(stored, representing: [])
        #expect(abs(try #require(try offset(ofSong: 2, from: 8, in: catalog)) - 8) < 0.005)
        buildSignatureOldStyle(file)
        let error = await #expect(throws: SHError.self) {
            try await buildSignature(url("missing"), then: url("never"))
        }
        #expect(error?.code == .signatureInvalid)
        #expect(!folder.names().contains("never"))
    }

    @Test func t11MergesSavesAndLoads() throws {
        for song in 0..<3 {
            let catalog = SHCustomCatalog()
            try catalog.addReferenceSignature(
                SongBook.signatures[song],
                representing: [SHMediaItem(properties: [.title: SongBook.title(song)])])
            try catalog.write(to: url("\(song).shazamcatalog"))
        }
        let urls = ["0.shazamcatalog", "notes.txt", "1.shazamcatalog", "2.shazamcatalog"].map { url($0) }
        let merged = try merge(urls, into: url("all.shazamcatalog"))
        #expect(try merged.references().compactMap(\.mediaItems.first?.title) == (0..<3).map(SongBook.title))
        #expect(abs(try #require(try offset(ofSong: 2, from: 4, in: merged)) - 4) < 0.005)

        let saved = URL(fileURLWithPath: try folder.makeFolder("saved"))
        try legacySave(merged, to: saved)
        let read = try SHCustomCatalog(
            dataRepresentation: Data(contentsOf: saved.appendingPathComponent("Signatures.shazamcatalog")))
        #expect(try read.references() == merged.references())
        #expect(throws: SHError.self) { try merge([url("missing.shazamcatalog")], into: url("never")) }
    }

    @Test func t12DistinguishesErrors() throws {
        #expect(classify {} == "ok")
        #expect(classify { _ = try SongBook.signatures[0].slices(from: 0, duration: 99) } == "duration")
        #expect(classify { _ = try SHCustomCatalog(dataRepresentation: Data([1])) } == "catalog")
        #expect(classify { try SHCustomCatalog().add(from: url("missing")) } == "catalog")
        #expect(classify { _ = try SHSignature(dataRepresentation: Data()) } == "silence?")
        #expect(classify { throw SHError(.internalError) } == "code 500 / 500 in \(SHErrorDomain)")
        #expect(classify { throw CancellationError() } == "other")
        let audio = SongBook.songs[0].render(from: 0, seconds: 1)
        let gap = classify {
            let generator = SHSignatureGenerator()
            for start in [0, 48_000] as [Int64] {
                try generator.append(
                    audio.pcmBuffer(), at: AVAudioTime(sampleTime: start, atRate: 16_000))
            }
        }
        #expect(gap == "gap")
        let format = classify {
            let generator = SHSignatureGenerator()
            try generator.append(audio.pcmBuffer(), at: nil)
            try generator.append(
                SongBook.songs[0].render(from: 0, seconds: 1, sampleRate: 8000).pcmBuffer(), at: nil)
        }
        #expect(format == "format")
        #expect(legacyClassify(SHError(.signatureDurationInvalid)))
        #expect(!legacyClassify(SHError(.signatureInvalid)))
    }

    @Test func t17ChecksTheQueryLength() throws {
        let catalog = SHCustomCatalog()
        catalog.queryDurations = 3...12
        guard
            case .tooShort(let missing) = readiness(try SongBook.query(0, from: 0, seconds: 2), for: catalog),
            case .ready = readiness(try SongBook.query(0, from: 0, seconds: 3), for: catalog),
            case .ready = readiness(try SongBook.query(0, from: 0, seconds: 12), for: catalog),
            case .tooLong(let surplus) = readiness(SongBook.signatures[0], for: catalog)
        else {
            Issue.record("a query was judged wrongly")
            return
        }
        #expect(missing == 1 && surplus == 18)
    }
}
