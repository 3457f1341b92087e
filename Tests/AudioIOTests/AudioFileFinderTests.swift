import AudioIO
import Foundation
import SystemIO
import TestSupport
import Testing

struct AudioFileFinderTests {
    @Test func findsAudioDeepInOrder() throws {
        let folder = try TemporaryFolder()
        let inner = try folder.makeFolder("inner")
        for name in ["b.WAV", "a.mp3", "Z.ogg", "notes.txt", ".hidden.wav", "inner/c.flac", "wav"] {
            try AtomicFile.write("x", to: folder.file(name))
        }
        // A link to a parent folder must not loop, and a broken link is ignored.
        try FileManager.default.createSymbolicLink(atPath: "\(inner)/up", withDestinationPath: "..")
        try FileManager.default.createSymbolicLink(
            atPath: "\(inner)/gone.wav", withDestinationPath: "nowhere")
        let found = try AudioFileFinder.audioFiles(under: folder.path)
        #expect(found == ["Z.ogg", "a.mp3", "b.WAV", "inner/c.flac"].map { folder.file($0) })
        #expect(try AudioFileFinder.audioFiles(under: folder.path + "/").count == 4)
        #expect(
            try AudioFileFinder.files(under: folder.path, withExtensions: ["txt"]) == [
                folder.file("notes.txt")
            ])
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
        let error = #expect(throws: AudioFileError.self) {
            try AudioFileFinder.audioFiles(under: folder.path)
        }
        #expect(error?.code == .notUTF8)
        #expect(
            error?.description
                == "\(folder.path): holds a file whose name is not UTF-8 (caf\u{FFFD}.wav)")
        var passedOver: [AudioFileError] = []
        let found = try AudioFileFinder.files(under: folder.path, withExtensions: ["wav"]) {
            passedOver.append($0)
        }
        #expect(found == [folder.file("a.wav")] && passedOver.count == 1)
    }

    @Test func fileGivesItself() throws {
        let folder = try TemporaryFolder()
        try AtomicFile.write("x", to: folder.file("song.bin"))
        #expect(try AudioFileFinder.audioFiles(under: folder.file("song.bin")) == [folder.file("song.bin")])
    }

    @Test func folderWithoutAudioGivesNone() throws {
        let folder = try TemporaryFolder()
        #expect(try AudioFileFinder.audioFiles(under: folder.path).isEmpty)
    }

    @Test func missingFolderIsAnError() throws {
        let error = #expect(throws: AudioFileError.self) {
            try AudioFileFinder.audioFiles(under: "/nowhere/at/all")
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
            let error = #expect(throws: AudioFileError.self) {
                try AudioFileFinder.audioFiles(under: folder.path)
            }
            #expect(error?.code == .unreadable)
            #expect(error?.description == "\(closed): the folder cannot be read: Permission denied")
            chmod(closed, 0o755)
        }
    }
}
