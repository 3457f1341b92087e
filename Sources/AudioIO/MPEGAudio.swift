/// Where the audio of an MPEG file is, without the tags after it.
struct MPEGAudio {
    let bytes: Range<Int>
    /// Whether the first frame states the number of frames, which decoders estimate otherwise.
    let statesLength: Bool

    init(_ file: VirtualFile) {
        var end = file.byteCount
        if Self.read(file, at: end - 128, 3) == Array("TAG".utf8) { end -= 128 }
        // The footer of an APE tag; the tag's header is another 32 bytes.
        let footer = Self.read(file, at: end - 32, 32)
        if footer.starts(with: "APETAGEX".utf8) {
            let size = Self.number(footer[12..<16].reversed(), bits: 8)
            let hasHeader = footer[23] & 0x80 != 0
            let start = end - size - (hasHeader ? 32 : 0)
            if start > 0 { end = start }
        }
        bytes = 0..<end
        var start = 0
        let tag = Self.read(file, at: 0, 10)
        if tag.count == 10, tag.starts(with: "ID3".utf8) { start = 10 + Self.number(tag[6..<10], bits: 7) }
        let frame = Self.read(file, at: start, 2048)
        statesLength = ["Xing", "Info", "VBRI"].contains { frame.firstRange(of: Array($0.utf8)) != nil }
    }

    private static func number(_ bytes: some Sequence<UInt8>, bits: Int) -> Int {
        bytes.reduce(0) { $0 << bits | Int($1) }
    }

    private static func read(_ file: VirtualFile, at place: Int, _ count: Int) -> [UInt8] {
        guard place >= 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = file.read(at: place, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
