import Foundation

/// A file with scores: a MIDI file, or a WAD archive with MIDI files in it.
package struct ScoreFile {
    /// The scores in the order of the file; the name is empty in a MIDI file.
    package let entries: [(name: String, bytes: [UInt8])]

    /// - Throws: ``CorpusError`` with code `unreadable`.
    package init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CorpusError(.unreadable, "\(path): the file cannot be read")
        }
        try self.init(data, name: path)
    }

    package init(_ data: Data, name: String) throws {
        let isArchive = [Data("IWAD".utf8), Data("PWAD".utf8)].contains(data.prefix(4))
        entries = isArchive ? try Self.lumps(data, name: name) : [("", [UInt8](data))]
    }

    /// The MIDI files of a WAD, the first of each name.
    ///
    /// It begins with four letters, the number of lumps and the place of their list, little-endian. An entry of the list
    /// has the lump's place, its length and eight letters. Source: The Unofficial Doom Specs 1.666, chapter 2.
    private static func lumps(_ data: Data, name: String) throws -> [(name: String, bytes: [UInt8])] {
        func number(_ place: Int) throws -> Int {
            guard place >= 0, place + 4 <= data.count else {
                throw CorpusError(.unreadable, "\(name): the archive ends early")
            }
            return (0..<4).reversed().reduce(0) { $0 << 8 | Int(data[data.startIndex + place + $1]) }
        }
        let (count, list) = (try number(4), try number(8))
        guard list + 16 * count <= data.count else {
            throw CorpusError(.unreadable, "\(name): the list of \(count) lumps reaches beyond the end")
        }
        var known: Set<String> = []
        return try (0..<count).compactMap { index in
            let entry = list + 16 * index
            let (start, length) = (try number(entry), try number(entry + 4))
            guard length >= 4, start + length <= data.count else { return nil }
            let lump = data.dropFirst(start).prefix(length)
            guard lump.prefix(4) == Data("MThd".utf8) else { return nil }
            let letters = data.dropFirst(entry + 8).prefix(8).prefix { $0 != 0 }
            let title = String(decoding: letters, as: UTF8.self)
            guard title.wholeMatch(of: /[A-Za-z0-9_\-]+/) != nil, known.insert(title).inserted else {
                return nil
            }
            return (title, [UInt8](lump))
        }
    }
}
