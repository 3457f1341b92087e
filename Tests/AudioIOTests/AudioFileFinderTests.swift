import AudioIO
import Foundation
import SystemIO
import TestSupport
import Testing

struct AudioFileFinderTests {
    @Test func findsAudioDeepInOrder() throws {
        let folder = try TemporaryFolder()
        let inner = try folder.makeFolder("inner")
        for name in [
            "b.WAV", "a.mp3", "Z.ogg", "notes.txt", ".hidden.wav", ".DS_Store", "inner/c.flac", "t.csv",
        ] {
            try AtomicFile.write("x", to: folder.file(name))
        }
        _ = try folder.makeFolder(".trash")
        // A link to a parent folder must not loop.
        try FileManager.default.createSymbolicLink(atPath: "\(inner)/up", withDestinationPath: "..")
        try FileManager.default.createSymbolicLink(
            atPath: "\(inner)/gone.wav", withDestinationPath: "nowhere")
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        let listing = try AudioFileFinder.listing(under: folder.path)
        #expect(listing.files == ["Z.ogg", "a.mp3", "b.WAV", "inner/c.flac"].map { folder.file($0) })
        // What is not taken is named, that which has a name of audio first.
        #expect(
            listing.leftOut.map(\.description)
                == [
                    ".hidden.wav (hidden)", "inner/gone.wav (the link points to nothing)", ".trash (hidden)",
                    "notes.txt (no audio by its name)", "pipe (neither a file nor a folder)",
                ].map { folder.file($0) })
        #expect(try AudioFileFinder.listing(under: folder.path + "/").files.count == 4)
        #expect(
            try AudioFileFinder.listing(under: folder.path, withExtensions: ["txt"]).files == [
                folder.file("notes.txt")
            ])
    }

    @Test func aLineCountsWhatIsLeftOutAndNamesTen() throws {
        let folder = try TemporaryFolder()
        #expect(try AudioFileFinder.listing(under: folder.path).leftOut.line == nil)
        for number in 1...12 {
            try AtomicFile.write("x", to: folder.file("\(number).txt"))
            let line = try #require(try AudioFileFinder.listing(under: folder.path).leftOut.line)
            #expect(line.hasPrefix(number == 1 ? "1 file left out: " : "\(number) files left out: "))
            #expect(line.split(separator: ".txt").count - 1 == min(number, 10))
            #expect(line.hasSuffix(number > 10 ? " and \(number - 10) more" : "(no audio by its name)"))
        }
    }

    /// Extensions of what ffmpeg reads are found too.
    @Test func extensionsOfVideosAndBroadcastsAreFound() throws {
        let names = "avi mpg 3gp flv wmv m4r voc ts m2ts mts dts eac3 vob ogv asf rm dsf dff"
            .split(separator: " ")
        #expect(names.allSatisfy { AudioFileFinder.audioExtensions.contains(String($0)) })
        #expect(AudioFileFinder.audioExtensions.allSatisfy { $0 == $0.lowercased() && !$0.contains(".") })
    }

    @Test func namesThatAreNotUTF8ArePassedOver() throws {
        let folder = try TemporaryFolder()
        try AtomicFile.write("x", to: folder.file("a.wav"))
        for name in ["caf\u{FF}.wav", "caf\u{FF}.txt"] {
            let path = Array((folder.path + "/").utf8) + name.unicodeScalars.map { UInt8($0.value) } + [0]
            let descriptor = path.withUnsafeBytes {
                open($0.bindMemory(to: CChar.self).baseAddress!, O_CREAT, 0o600)
            }
            try #require(descriptor >= 0)
            close(descriptor)
        }
        let listing = try AudioFileFinder.listing(under: folder.path)
        #expect(listing.files == [folder.file("a.wav")])
        #expect(
            listing.leftOut.map(\.description)
                == ["wav", "txt"].map {
                    folder.file("caf\u{FFFD}.\($0) (its name is not UTF-8)")
                })
    }

    @Test func fileGivesItself() throws {
        let folder = try TemporaryFolder()
        try AtomicFile.write("x", to: folder.file("song.bin"))
        let file = folder.file("song.bin")
        #expect(try AudioFileFinder.listing(under: file).files == [file])
    }

    @Test func folderWithoutAudioGivesNone() throws {
        let folder = try TemporaryFolder()
        #expect(try AudioFileFinder.listing(under: folder.path).files.isEmpty)
    }

    @Test func missingFolderIsAnError() throws {
        let error = #expect(throws: AudioFileError.self) {
            try AudioFileFinder.listing(under: "/nowhere/at/all")
        }
        #expect(error?.description == "/nowhere/at/all: there is no such file or folder")
    }

    /// Needs its own process, which drops the superuser's right to read everything.
    @Test func unreadableFolderAndFileAreErrors() async {
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
            let folder = try TemporaryFolder()
            let closed = try folder.makeFolder("closed")
            try AtomicFile.write("x", to: "\(closed)/a.wav")
            chmod("\(closed)/a.wav", 0o000)
            let file = #expect(throws: AudioFileError.self) { try AudioFile.read("\(closed)/a.wav") }
            #expect(file?.code == .unreadable)
            #expect(file?.description == "\(closed)/a.wav: cannot be read: Permission denied")
            chmod(closed, 0o000)
            let errors = try AudioFileFinder.listing(under: folder.path).errors
            #expect(errors.map(\.code) == [.unreadable])
            #expect(errors.map(\.description) == ["\(closed): the folder cannot be read: Permission denied"])
            #expect(throws: errors[0]) {
                try AudioFileFinder.audioFiles(under: [folder.path], leavingOut: { _ in })
            }
            chmod(closed, 0o755)
        }
    }
}
