import AudioIO
import Fingerprinting
import Foundation
import Synchronization
import SystemIO
import TestSupport
import Testing

/// How files are named, listed and answered for.
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

    private func paths(listedIn path: String) throws -> [String] {
        var (list, paths) = (try PathList(path: path), [String]())
        while let path = try list.next() { paths.append(path) }
        return paths
    }

    @Test("A list of files is read line by line; only LF and CRLF end lines")
    func listsAreReadByLine() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.txt")
        try AtomicFile.write("\u{FEFF}a.wav\r\n\n \t \n b c.wav \nlast", to: path)
        #expect(try paths(listedIn: path) == ["a.wav", " b c.wav ", "last"])
        let strange = ["form\u{0C}feed", "next\u{85}line", "line\u{2028}separator", "old\rmac", "\u{A0}"]
        try AtomicFile.write(strange.joined(separator: "\n"), to: path)
        #expect(try paths(listedIn: path) == strange)
        for bad in [[0x61, 0xFF], [0x61, 0], [UInt8](repeating: 0x61, count: 1 << 17)] {
            try AtomicFile.write(Array("first\r\n".utf8) + bad + [0x0A], to: path)
            let error = #expect(throws: FingerprintingError.self) { try paths(listedIn: path) }
            #expect(error?.code == .unreadableFile)
            #expect(error?.description.hasPrefix("\(path): line 2: ") == true, "\(error as Any)")
        }
        for nothing in ["", "\n \n\r\n"] {
            try AtomicFile.write(nothing, to: path)
            let error = #expect(throws: FingerprintingError.self) { try paths(listedIn: path) }
            #expect(error?.code == .nothingToDo)
        }
        for missing in [folder.path, folder.file("none")] {
            let error = #expect(throws: FingerprintingError.self) { try paths(listedIn: missing) }
            #expect(error?.code == .unreadableFile)
        }
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
