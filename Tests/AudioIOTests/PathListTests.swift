import Foundation
import SystemIO
import TestSupport
import Testing

/// Lists of paths: what a line is, and what is wrong with it.
struct PathListTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("list.txt")
    }

    /// The paths of a list, with the place of each line that holds none.
    private func paths(_ bytes: [UInt8], names: Set<String> = []) throws -> [String] {
        try AtomicFile.write(bytes, to: path)
        return try paths(in: path, names: names)
    }

    private func paths(in path: String, names: Set<String> = []) throws -> [String] {
        var list = try PathList(path: path, isName: names.contains)
        var paths: [String] = []
        while let entry = try list.next() {
            switch entry.path {
            case .success(let text): paths.append(text)
            case .failure(let fault):
                #expect(fault.line == entry.line && fault.description.hasPrefix(fault.place + ": expected "))
                paths.append("line \(entry.line)")
            }
        }
        return paths
    }

    @Test("Only LF and CRLF end a line; all other characters are part of a name")
    func linesAreNames() throws {
        let text = "\u{FEFF}a.wav\r\n\n \t \n b c.wav \nlast"
        #expect(try paths(Array(text.utf8)) == ["a.wav", " b c.wav ", "last"])
        let strange = ["form\u{0C}feed", "next\u{85}line", "line\u{2028}separator", "old\rmac", "\u{A0}"]
        #expect(try paths(Array(strange.joined(separator: "\n").utf8)) == strange)
    }

    @Test("A line that begins with # is passed over, unless it is a name")
    func playlistsAreLists() throws {
        let playlist = Array("\u{FEFF}#EXTM3U\r\n#EXTINF:8,Clip\r\nclip.wav\r\n#1 hit.wav\r\n".utf8)
        #expect(try paths(playlist) == ["clip.wav"])
        #expect(try paths(playlist, names: ["#1 hit.wav"]) == ["clip.wav", "#1 hit.wav"])
    }

    @Test(
        "A wrong line costs no other",
        arguments: [
            Array("caf\u{E9}".unicodeScalars.map { UInt8($0.value) }), [0x61, 0],
            [UInt8](repeating: 0x61, count: 1 << 17),
        ])
    func listsGoOn(wrong: [UInt8]) throws {
        for end in [[0x0A], [0x0D, 0x0A]] as [[UInt8]] {
            let lines = [Array("first".utf8), wrong, Array("#comment".utf8), wrong, Array("last".utf8)]
            let bytes = Array(lines.joined(separator: end))
            #expect(try paths(bytes) == ["first", "line 2", "line 4", "last"])
        }
    }

    @Test("A list that names nothing, or cannot be read, is an error")
    func emptyListsAreErrors() throws {
        for nothing in ["", "\n \n\r\n", "#EXTM3U\n"] {
            let error = #expect(throws: PathList.Fault.self) { try paths(Array(nothing.utf8)) }
            #expect(error?.description == "\(path): lists no file")
        }
        for missing in [folder.path, folder.file("none")] {
            let error = #expect(throws: PathList.Fault.self) { try paths(in: missing) }
            #expect(error?.description.hasPrefix("\(missing): cannot be read: ") == true)
        }
    }
}
