/// What is no audio before, between and after recordings: tags and padding.
enum Tags {
    /// The end of the tags and zeros that begin at `place`.
    static func end(from start: Int, in file: VirtualFile) -> Int {
        var place = start
        while place < file.byteCount {
            let next = place + length(at: place, in: file)
            if next == place { break }
            place = min(next, file.byteCount)
        }
        return place
    }

    /// The beginning of the tags that end at `end`.
    static func start(before end: Int, in file: VirtualFile) -> Int {
        var end = end
        while true {
            let footer = file.bytes(at: end - 32, 32)
            if file.has("TAG", at: end - 128) {
                end -= 128
            } else if footer.starts(with: "APETAGEX".utf8), size(ofAPE: footer) < end {
                end -= size(ofAPE: footer)
            } else if footer.suffix(9).elementsEqual("LYRICS200".utf8),
                let size = Int(String(decoding: footer[17..<23], as: UTF8.self)), size + 15 < end
            {
                end -= size + 15
            } else {
                return end
            }
        }
    }

    /// The beginning of an ID3 tag in the last megabyte that ends at `end`, which only its beginning tells.
    static func startOfID3(before end: Int, in file: VirtualFile) -> Int {
        let first = max(0, end - 1 << 20)
        // A search in a collection of any kind takes a hundred times as long.
        let places = file.bytes(at: first, end - first).withUnsafeBytes { bytes in
            bytes.indices.dropLast(2).filter {
                bytes[$0] == 0x49 && bytes[$0 + 1] == 0x44 && bytes[$0 + 2] == 0x33
            }
        }
        return places.lazy.map { first + $0 }.first { Self.end(from: $0, in: file) >= end } ?? end
    }

    private static func length(at place: Int, in file: VirtualFile) -> Int {
        let head = file.bytes(at: place, 32)
        if head.starts(with: "ID3".utf8), head.count >= 10, head[6..<10].allSatisfy({ $0 < 0x80 }) {
            return 10 + head[6..<10].reduce(0) { $0 << 7 | Int($1) } + (head[5] & 0x10 != 0 ? 10 : 0)
        }
        if head.starts(with: "TAG+".utf8) { return 227 }
        if head.starts(with: "TAG".utf8) { return 128 }
        if head.starts(with: "APETAGEX".utf8), head.count == 32 { return size(ofAPE: head) }
        if head.starts(with: "LYRICSBEGIN".utf8) {
            // It has no length at its beginning.
            let text = file.bytes(at: place, 1 << 20)
            let ends = ["LYRICS200", "LYRICSEND"].compactMap { text.firstRange(of: Array($0.utf8)) }
            return ends.first?.upperBound ?? 0
        }
        guard head.first == 0 else { return 0 }
        var window = ByteWindow(file, end: file.byteCount)
        var end = place
        while end < file.byteCount, window[end] == 0 { end += 1 }
        // A few zeros may be part of a header.
        return end == file.byteCount || end - place >= 64 ? end - place : 0
    }

    /// Of all of it, by its header or footer.
    private static func size(ofAPE block: [UInt8]) -> Int {
        let size = block.number(12..<16, isBigEndian: false)
        // The size leaves out the header, which the flags state.
        return block[23] & 0xA0 != 0 ? size + 32 : size
    }
}

/// Bytes of a file, read in large pieces.
struct ByteWindow {
    let end: Int
    private let file: VirtualFile
    private var start = 0
    private var bytes: [UInt8] = []

    init(_ file: VirtualFile, end: Int) {
        self.file = file
        self.end = end
    }

    /// 0 beyond the end of the file.
    subscript(place: Int) -> UInt8 {
        mutating get {
            if place < start || place >= start + bytes.count {
                start = place
                bytes = file.bytes(at: place, 1 << 18)
            }
            return bytes.isEmpty ? 0 : bytes[place - start]
        }
    }

    /// A number of four bytes, the highest first.
    mutating func number(at place: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(self[place + $1]) } }
}

extension [UInt8] {
    /// A number without sign of at most seven bytes.
    func number(_ range: Range<Int>, isBigEndian: Bool = true) -> Int {
        let bytes = self[range]
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
