import AudioIO
import Fingerprinting
import Foundation
import Synchronization
import SystemIO
import TestSupport
import Testing

/// How files are named and answered for.
struct NamingTests {
    @Test(
        "A reference is called after its file, or after its path from the folder given",
        arguments: [
            ("/m/a.wav", "/m", "a", "a"), ("/m/x/a.b.flac", "/m", "a.b", "x/a.b"),
            ("/m/x/a", "/m/", "a", "x/a"),
            ("/m/.hidden", "/m", ".hidden", ".hidden"), ("/m/x.y/a", "/m", "a", "x.y/a"),
            ("/m/a.wav", "/m/a.wav", "a", "a"), ("/m/Ä b №.ogg", "/m", "Ä b №", "Ä b №"),
        ])
    func namesFollowFromPaths(file: String, root: String, stem: String, path: String) {
        #expect(ReferenceSource.Naming.stem.id(of: file, under: root) == stem)
        #expect(ReferenceSource.Naming.relativePath.id(of: file, under: root) == path)
    }

    @Test("Progress counts every file once, and the first bad file is the error")
    func progressCountsFiles() throws {
        let folder = try TemporaryFolder()
        for number in 0..<7 {
            try SmallCatalog.references[number % 3].signature.write(to: folder.file("\(number).earsignature"))
        }
        let sources = try ReferenceSource.find([folder.path])
        for jobs in [1, 3] {
            let counts = Mutex<[Int]>([])
            let outcome = try CatalogBuilder(settings: SmallCatalog.settings, jobs: jobs).build(sources) {
                done in
                counts.withLock { $0.append(done) }
            }
            #expect(counts.withLock { $0.sorted() } == Array(1...7))
            #expect(outcome.references.map(\.id) == (0..<7).map { "\($0)" })
            let seconds = outcome.references.reduce(0.0) { $0 + $1.signature.durationSeconds }
            #expect(abs(outcome.hours * 3600 - seconds) < 1e-9)
        }
        try AtomicFile.write("nothing", to: folder.file("3.earsignature"))
        let error = #expect(throws: FingerprintingError.self) {
            try CatalogBuilder(settings: SmallCatalog.settings, jobs: 2).build(sources)
        }
        #expect(error?.description.hasPrefix(folder.file("3.earsignature") + ": byte 0: ") == true)
    }

    @Test("Files named one by one, twice or under both endings of a signature are found")
    func singleFilesAreSources() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.file("a.earsignature"), folder.file("b.shazamsignature"))
        for path in [one, other] { try SmallCatalog.references[0].signature.write(to: path) }
        #expect(try ReferenceSource.find([other, one]).map(\.id) == ["b", "a"])
        #expect(throws: FingerprintingError.self) { try ReferenceSource.find([one, one]) }
        let reference = try ReferenceSource.find([other])[0].reference(settings: SmallCatalog.settings)
        #expect(
            reference.signature == SmallCatalog.references[0].signature && reference.mediaItem.title == "b")
    }
}
