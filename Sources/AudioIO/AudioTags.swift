/// What the tags of an audio file say of its recording.
///
/// It reads ID3, APE, Vorbis comments in FLAC and Ogg, MPEG-4 and RIFF. What is damaged or states a wrong size counts as
/// missing. Texts have no control characters and at most 500 characters.
package struct AudioTags: Hashable, Sendable {
    package private(set) var title: String?
    package private(set) var artist: String?
    package private(set) var album: String?
    package private(set) var isrc: String?
    package private(set) var genres: [String] = []
    /// The address of a picture that is not in the file.
    package private(set) var artworkURL: String?

    private static let longestText = 500
    /// Longer fields are those of pictures.
    fileprivate static let mostFieldBytes = 1 << 16
    /// Files that state more parts are damaged.
    fileprivate static let mostParts = 10_000

    enum Field {
        case title, artist, album, isrc, genre, artworkURL

        /// The field of a name in Vorbis comments and APE tags.
        init?(commentName: String) {
            switch commentName.uppercased() {
            case "TITLE": self = .title
            case "ARTIST": self = .artist
            case "ALBUM": self = .album
            case "ISRC": self = .isrc
            case "GENRE": self = .genre
            default: return nil
            }
        }
    }

    /// Reads the tags of the file at `path`; none if it cannot be read.
    package init(path: String) {
        if let file = try? StoredFile(path: path) { read(file) }
    }

    private mutating func read(_ file: VirtualFile) {
        var start = 0
        for _ in 0..<Self.mostParts {
            guard let tag = ID3(file, at: start) else { break }
            tag.forEachField { add($0, $1) }
            start = tag.end
        }
        let head = file.bytes(at: start, 12)
        if head.starts(with: "fLaC".utf8) { readFLAC(file, from: start + 4) }
        if head.starts(with: "OggS".utf8) { readOgg(file, from: start) }
        if ["RIFF", "RF64", "BW64"].contains(where: { head.starts(with: $0.utf8) }) {
            readChunks(file, from: start + 12, isBigEndian: false)
        }
        if head.starts(with: "FORM".utf8) { readChunks(file, from: start + 12, isBigEndian: true) }
        if head.dropFirst(4).starts(with: "ftyp".utf8) {
            readMPEG4(file, start..<file.byteCount, [], depth: 0)
        }
        readAPE(file)
        readID3v1(file)
    }

    /// Keeps a text; the first one of a field counts, and all genres of the first tag that has any.
    private mutating func add(_ field: Field, _ texts: [String]) {
        let texts = texts.compactMap(Self.clean)
        guard let first = texts.first else { return }
        switch field {
        case .title: title = title ?? first
        case .artist: artist = artist ?? texts.joined(separator: ", ")
        case .album: album = album ?? first
        case .isrc: isrc = isrc ?? first
        case .genre: if genres.isEmpty { genres = texts.map(Genre.name) }
        case .artworkURL: artworkURL = artworkURL ?? first
        }
    }

    private static func clean(_ text: String) -> String? {
        let visible = text.unicodeScalars.lazy.map {
            $0.properties.generalCategory == .control ? " " : $0
        }.prefix(4 * longestText)
        let words = String(String.UnicodeScalarView(visible)).split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(longestText))
    }
}

// MARK: - Vorbis comments

extension AudioTags {
    private mutating func readFLAC(_ file: VirtualFile, from start: Int) {
        var place = start
        for _ in 0..<128 {
            let head = file.bytes(at: place, 4)
            guard head.count == 4 else { return }
            let size = head.number(1..<4)
            if head[0] & 0x7F == 4 { readComments(file.bytes(at: place + 4, min(size, 1 << 20))) }
            place += 4 + size
            guard head[0] & 0x80 == 0 else { return }
        }
    }

    /// Reads the second packet of the first stream.
    private mutating func readOgg(_ file: VirtualFile, from start: Int) {
        var (place, packet, packets) = (start, [UInt8](), 0)
        var serial: ArraySlice<UInt8>?
        for _ in 0..<64 {
            let head = file.bytes(at: place, 27 + 255)
            guard head.count >= 27, head.starts(with: "OggS".utf8) else { break }
            let sizes = head[27...].prefix(Int(head[26]))
            guard sizes.count == Int(head[26]) else { break }
            var body = place + 27 + sizes.count
            let isFirst = serial == nil
            if isFirst { serial = head[14..<18] }
            for size in sizes {
                defer { body += Int(size) }
                guard serial == head[14..<18], packets < 2 else { continue }
                packet += file.bytes(at: body, Int(size))
                guard size < 255 else { continue }
                packets += 1
                if packets == 1 { packet = [] }
            }
            place = body
            if packets >= 2 { break }
        }
        for prefix in ["\u{3}vorbis", "OpusTags"] where packet.starts(with: prefix.utf8) {
            readComments(Array(packet.dropFirst(prefix.utf8.count)))
        }
        // The metadata block of FLAC in Ogg.
        if let kind = packet.first, kind & 0x7F == 4 { readComments(Array(packet.dropFirst(4))) }
    }

    private mutating func readComments(_ bytes: [UInt8]) {
        func size(at place: Int) -> Int? {
            place + 4 <= bytes.count ? bytes.number(place..<place + 4, isBigEndian: false) : nil
        }
        guard let vendor = size(at: 0), vendor <= bytes.count, let count = size(at: 4 + vendor) else {
            return
        }
        var place = 8 + vendor
        var texts: [(Field, String)] = []
        for _ in 0..<min(count, Self.mostParts) {
            guard let length = size(at: place), length <= bytes.count - place - 4 else { break }
            let comment = bytes[place + 4..<place + 4 + length]
            place += 4 + length
            guard length <= Self.mostFieldBytes, let equals = comment.firstIndex(of: UInt8(ascii: "=")) else {
                continue
            }
            let name = String(decoding: comment[..<equals], as: UTF8.self)
            guard let field = Field(commentName: name) else { continue }
            texts.append((field, String(decoding: comment[(equals + 1)...], as: UTF8.self)))
        }
        for (field, values) in Dictionary(grouping: texts, by: { $0.0 }) { add(field, values.map(\.1)) }
    }
}

// MARK: - RIFF, AIFF and MPEG-4

extension AudioTags {
    private mutating func readChunks(_ file: VirtualFile, from start: Int, isBigEndian: Bool) {
        var place = start
        for _ in 0..<Self.mostParts {
            let head = file.bytes(at: place, 12)
            guard head.count >= 8 else { return }
            let (name, size) = (
                String(decoding: head[..<4], as: UTF8.self), head.number(4..<8, isBigEndian: isBigEndian)
            )
            switch name {
            case "id3 ", "ID3 ":
                ID3(file, at: place + 8)?.forEachField { add($0, $1) }
            case "LIST" where head.dropFirst(8).elementsEqual("INFO".utf8):
                readInfo(file.bytes(at: place + 12, min(max(0, size - 4), 1 << 20)))
            case "NAME", "AUTH":
                let text = String(decoding: file.bytes(at: place + 8, min(size, 4096)), as: UTF8.self)
                add(name == "NAME" ? .title : .artist, [text])
            default: break
            }
            place += 8 + size + size % 2
        }
    }

    private mutating func readInfo(_ bytes: [UInt8]) {
        let fields: [String: Field] = ["INAM": .title, "IART": .artist, "IPRD": .album, "IGNR": .genre]
        var place = 0
        while place + 8 <= bytes.count {
            let size = bytes.number(place + 4..<place + 8, isBigEndian: false)
            let text = bytes[(place + 8)...].prefix(min(size, Self.mostFieldBytes)).prefix { $0 != 0 }
            if let field = fields[String(decoding: bytes[place..<place + 4], as: UTF8.self)] {
                add(field, [String(decoding: text, as: UTF8.self)])
            }
            place += 8 + size + size % 2
        }
    }

    /// Reads the boxes within `range` that lead to tags.
    private mutating func readMPEG4(_ file: VirtualFile, _ range: Range<Int>, _ path: [String], depth: Int) {
        var place = range.lowerBound
        for _ in 0..<Self.mostParts {
            let head = file.bytes(at: place, 16)
            guard head.count >= 8, place + 8 <= range.upperBound else { return }
            var (size, header) = (head.number(0..<4), 8)
            if size == 1, head.count == 16, head[8] == 0 { (size, header) = (head.number(8..<16), 16) }
            if size == 0 { size = range.upperBound - place }
            guard size >= header, size <= range.upperBound - place else { return }
            // Names begin with ©, which is one byte.
            let name = String(String.UnicodeScalarView(head[4..<8].map(Unicode.Scalar.init)))
            let body = place + header..<place + size
            switch name {
            case "moov", "udta", "ilst": readMPEG4(file, body, path + [name], depth: depth + 1)
            case "meta" where body.count >= 4:
                readMPEG4(file, body.dropFirst(4), path + [name], depth: depth + 1)
            default: if path.last == "ilst" { readItem(name, file, body) }
            }
            place += size
        }
    }

    private mutating func readItem(_ name: String, _ file: VirtualFile, _ range: Range<Int>) {
        guard range.count <= Self.mostFieldBytes else { return }
        let bytes = file.bytes(at: range.lowerBound, range.count)
        var (place, freeName, values) = (0, "", [[UInt8]]())
        while place + 8 <= bytes.count {
            let size = bytes.number(place..<place + 4)
            guard size >= 8, size <= bytes.count - place else { break }
            switch String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) {
            case "name" where size >= 12:
                freeName = String(decoding: bytes[place + 12..<place + size], as: UTF8.self)
            case "data" where size >= 16: values.append(Array(bytes[place + 16..<place + size]))
            default: break
            }
            place += size
        }
        let texts = values.map { String(decoding: $0, as: UTF8.self) }
        switch name {
        case "©nam": add(.title, texts)
        case "©ART": add(.artist, texts)
        case "©alb": add(.album, texts)
        case "©gen": add(.genre, texts)
        case "gnre": add(.genre, values.filter { $0.count == 2 }.map { "\($0.number(0..<2) - 1)" })
        case "----" where freeName.uppercased() == "ISRC": add(.isrc, texts)
        default: break
        }
    }
}

// MARK: - Tags at the end

extension AudioTags {
    private mutating func readAPE(_ file: VirtualFile) {
        let end = file.byteCount - (file.has("TAG", at: file.byteCount - 128) ? 128 : 0)
        let footer = file.bytes(at: end - 32, 32)
        guard footer.count == 32, footer.starts(with: "APETAGEX".utf8) else { return }
        let size = footer.number(12..<16, isBigEndian: false)
        guard size >= 32, size <= end else { return }
        let bytes = file.bytes(at: end - size, min(size - 32, 1 << 20))
        var place = 0
        for _ in 0..<min(footer.number(16..<20, isBigEndian: false), Self.mostParts) {
            guard place + 8 <= bytes.count else { return }
            let length = bytes.number(place..<place + 4, isBigEndian: false)
            let kind = bytes[place + 4] >> 1 & 3
            guard let nameEnd = bytes[(place + 8)...].firstIndex(of: 0), length <= bytes.count - nameEnd - 1
            else {
                return
            }
            let name = String(decoding: bytes[place + 8..<nameEnd], as: UTF8.self)
            let value = bytes[nameEnd + 1..<nameEnd + 1 + length]
            if kind == 0, length <= Self.mostFieldBytes, let field = Field(commentName: name) {
                add(field, value.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
            }
            place = nameEnd + 1 + length
        }
    }

    private mutating func readID3v1(_ file: VirtualFile) {
        let tag = file.bytes(at: file.byteCount - 128, 128)
        guard tag.count == 128, tag.starts(with: "TAG".utf8) else { return }
        for (field, range) in [(Field.title, 3..<33), (.artist, 33..<63), (.album, 63..<93)] {
            add(field, [ID3.latin(tag[range].prefix { $0 != 0 })])
        }
        if Int(tag[127]) < Genre.names.count { add(.genre, ["\(tag[127])"]) }
    }
}

// MARK: - ID3

/// A tag of ID3 version 2.2, 2.3 or 2.4.
private struct ID3 {
    /// Where the tag ends in the file.
    let end: Int
    private let version: UInt8
    private let bytes: [UInt8]

    private static let fields: [String: AudioTags.Field] = [
        "TIT2": .title, "TT2": .title, "TPE1": .artist, "TP1": .artist, "TALB": .album, "TAL": .album,
        "TCON": .genre, "TCO": .genre, "TSRC": .isrc, "TRC": .isrc, "APIC": .artworkURL,
    ]

    /// Nil if there is no tag at `place`.
    init?(_ file: VirtualFile, at place: Int) {
        let head = file.bytes(at: place, 10)
        guard head.count == 10, head.starts(with: "ID3".utf8), (2...4).contains(head[3]),
            head[6..<10].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let size = head[6..<10].reduce(0) { $0 << 7 | Int($1) }
        end = place + 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
        version = head[3]
        // Texts come first in most tags, and pictures last.
        var bytes = file.bytes(at: place + 10, min(size, 1 << 22))
        if head[5] & 0x80 != 0, version < 4 { bytes = Self.withoutStuffing(bytes[...]) }
        if head[5] & 0x40 != 0, version > 2, bytes.count >= 4 {
            let extended = version == 4 ? Self.safe(bytes[..<4]) : 4 + bytes.number(0..<4)
            bytes.removeFirst(min(extended, bytes.count))
        }
        self.bytes = bytes
    }

    /// Removes the zero after each 0xFF.
    private static func withoutStuffing(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var last: UInt8 = 0
        for byte in bytes {
            if last != 0xFF || byte != 0 { plain.append(byte) }
            last = byte
        }
        return plain
    }

    private static func safe(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }

    func forEachField(_ body: (AudioTags.Field, [String]) -> Void) {
        let (nameBytes, headBytes) = version == 2 ? (3, 6) : (4, 10)
        var place = 0
        while place + headBytes < bytes.count, bytes[place] != 0 {
            let name = String(decoding: bytes[place..<place + nameBytes], as: UTF8.self)
            let field = place + nameBytes..<place + 2 * nameBytes
            let size = version == 4 ? Self.safe(bytes[field]) : bytes.number(field)
            let bodyStart = place + headBytes
            guard size > 0, size <= bytes.count - bodyStart else { return }
            defer { place = bodyStart + size }
            guard let kind = Self.fields[name], size <= AudioTags.mostFieldBytes else { continue }
            var content = bytes[bodyStart..<bodyStart + size]
            if version == 4 {
                let flags = bytes[place + 9]
                // Compressed and encrypted fields are not read.
                guard flags & 0x0C == 0 else { continue }
                if flags & 0x01 != 0 { content = content.dropFirst(4) }
                if flags & 0x02 != 0 { content = Self.withoutStuffing(content)[...] }
            } else if version == 3, bytes[place + 9] & 0xC0 != 0 {
                continue
            }
            guard let encoding = content.first else { continue }
            let text = content.dropFirst()
            if kind == .artworkURL {
                // Of a picture that is elsewhere the type is "-->".
                guard text.starts(with: "-->\0".utf8) else { continue }
                let parts = Self.texts(text.dropFirst(5), encoding)
                body(kind, parts.suffix(1))
            } else {
                let texts = Self.texts(text, encoding)
                body(kind, kind == .genre ? texts.flatMap(Self.genres) : texts)
            }
        }
    }

    /// The texts between zeros.
    private static func texts(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> [String] {
        switch encoding {
        case 1, 2:
            var isBigEndian = encoding == 2
            let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { place in
                (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            }
            var texts: [[UInt16]] = [[]]
            for (first, second) in units {
                switch (first, second) {
                case (0xFF, 0xFE): isBigEndian = false
                case (0xFE, 0xFF): isBigEndian = true
                case (0, 0): texts.append([])
                default:
                    texts[texts.count - 1].append(isBigEndian ? first << 8 | second : second << 8 | first)
                }
            }
            return texts.map { String(decoding: $0, as: UTF16.self) }
        case 3: return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        default: return bytes.split(separator: 0).map(latin)
        }
    }

    static func latin(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map(Unicode.Scalar.init)))
    }

    /// The genres in a text such as `Rock`, `17`, `(17)` or `(17)(4)Live`.
    private static func genres(_ text: String) -> [String] {
        var (found, rest) = ([String](), text[...])
        while rest.first == "(", !rest.hasPrefix("(("), let end = rest.firstIndex(of: ")") {
            found.append(String(rest[rest.index(after: rest.startIndex)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        // The text after a number refines it.
        return rest.isEmpty ? found : [String(rest.hasPrefix("((") ? rest.dropFirst() : rest)]
    }
}

/// The numbers of genres in ID3.
private enum Genre {
    static let names = """
        Blues, Classic Rock, Country, Dance, Disco, Funk, Grunge, Hip-Hop, Jazz, Metal, New Age, Oldies, \
        Other, Pop, R&B, Rap, Reggae, Rock, Techno, Industrial, Alternative, Ska, Death Metal, Pranks, \
        Soundtrack, Euro-Techno, Ambient, Trip-Hop, Vocal, Jazz+Funk, Fusion, Trance, Classical, \
        Instrumental, Acid, House, Game, Sound Clip, Gospel, Noise, AlternRock, Bass, Soul, Punk, Space, \
        Meditative, Instrumental Pop, Instrumental Rock, Ethnic, Gothic, Darkwave, Techno-Industrial, \
        Electronic, Pop-Folk, Eurodance, Dream, Southern Rock, Comedy, Cult, Gangsta, Top 40, Christian \
        Rap, Pop/Funk, Jungle, Native American, Cabaret, New Wave, Psychadelic, Rave, Showtunes, Trailer, \
        Lo-Fi, Tribal, Acid Punk, Acid Jazz, Polka, Retro, Musical, Rock & Roll, Hard Rock
        """.split(separator: ", ").map(String.init)

    /// The name of a number; any other text is its own name.
    static func name(_ text: String) -> String {
        guard let number = Int(text), names.indices.contains(number) else { return text }
        return names[number]
    }
}

extension [UInt8] {
    /// A number without sign of at most seven bytes.
    func number(_ range: Range<Int>, isBigEndian: Bool = true) -> Int {
        let bytes = self[range]
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
