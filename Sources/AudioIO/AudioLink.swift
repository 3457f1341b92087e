/// One recording of a file.
///
/// Most files hold one. Others are joined end to end, with tags before, between and after the recordings.
struct AudioLink {
    let content: MediaContent
    /// From its header to the next recording, without tags at both ends.
    private(set) var bytes: Range<Int>
    /// Where the next begins, or the file ends.
    private(set) var end: Int
    /// The frames that it has, if all of its bytes were looked at, 0 if only its decoder counts them.
    private(set) var countedFrames: Int?
    /// Whether some of its pages are missing or damaged.
    var isBroken = false
    /// Whether what is missing at the beginning moves no time.
    var startsAtZero = false
    /// Whether the header states more bytes than the file has.
    let isCutShort: Bool

    private let chunks: ChunkFormat?

    /// Takes the one that begins at `place`.
    init(at place: Int, in file: VirtualFile) {
        let start = Tags.end(from: place, in: file)
        let head = file.bytes(at: start, Self.headLength)
        let kind = MediaContent(of: head[...])
        let hasTag = file.bytes(at: place, 3).elementsEqual("ID3".utf8)
        content = hasTag && kind.isUnknown ? .mpegAudio : kind
        chunks = ChunkFormat(head, at: start)
        let walk = chunks?.walk(from: start, in: file)
        isCutShort = walk?.isCutShort ?? false
        end = walk?.nextFile ?? file.byteCount
        var last = end == file.byteCount ? Tags.start(before: end, in: file) : end
        // Tags that state their length only at their beginning.
        if let walk, walk.end > start, Tags.end(from: walk.end, in: file) >= last {
            last = min(last, walk.end)
        }
        bytes = start..<max(start, last)
    }

    /// Sets the end, which only a look at all frames or pages finds.
    ///
    /// - Parameters:
    ///   - last: Where its audio ends.
    ///   - frames: The frames that it has, 0 if only its decoder counts them.
    mutating func end(at place: Int, last: Int? = nil, frames: Int = 0) {
        countedFrames = frames
        if place < bytes.upperBound { end = place }
        bytes = bytes.lowerBound..<min(bytes.upperBound, place, last ?? place)
    }

    /// The bytes from `place` on that are neither chunks of the container nor tags; nil if there are none.
    func unread(from place: Int, in file: VirtualFile) -> Range<Int>? {
        // Samples can look like a chunk or two, and some writers leave bytes behind the last.
        let last = chunks?.walk(from: place, in: file).end ?? place
        if Tags.end(from: place, in: file) >= bytes.upperBound
            || last > place && Tags.end(from: last, in: file) + Self.headLength >= bytes.upperBound
        {
            return nil
        }
        return place..<bytes.upperBound
    }

    /// Enough for the headers before the samples of most files.
    static let headLength = 4096
}

/// The framing of a container that is made of chunks, with an identifier and a size each.
struct ChunkFormat {
    /// Where the file begins.
    private let origin: Int
    /// Where the first chunk is, from there.
    private var first = 0
    private var idLength = 4
    private var sizeLength = 4
    private var isBigEndian = true
    private var sizeIsFirst = false
    private var countsHeader = false
    private var alignment = 1
    /// The identifier of the samples' chunk.
    private var data: [UInt8]?
    /// Where a RIFF file of 64 bits states the size of that chunk.
    private var largeSize: Int?
    /// The bytes between the beginning of a chunk and what its size counts.
    private var headerLength: Int { countsHeader ? 0 : skipped ?? idLength + sizeLength }
    private var skipped: Int?

    /// Reads the head of a file that begins at `origin`; nil for another kind.
    init?(_ head: [UInt8], at origin: Int) {
        self.origin = origin
        func has(_ text: String, at place: Int = 0) -> Bool {
            head.dropFirst(place).starts(with: text.utf8)
        }
        if has("RIFF") || has("RIFX") || has("RF64") || has("BW64") {
            (isBigEndian, alignment) = (has("RIFX"), 2)
            // Of an AVI file, RIFF itself is the chunk: there may be several.
            if has("WAVE", at: 8) { (first, data) = (12, Array("data".utf8)) }
            if has("ds64", at: 12), head.count >= 36 {
                largeSize = Self.number(head[28..<36].reversed())
            }
        } else if has("FORM"), has("AIF", at: 8) {
            (first, alignment, data) = (12, 2, Array("SSND".utf8))
        } else if has("caff") {
            (first, sizeLength, data) = (8, 8, Array("data".utf8))
        } else if has("riff"), head.count > 40 {
            (first, idLength, sizeLength, isBigEndian, countsHeader, alignment) = (40, 16, 8, false, true, 8)
            data = Array("data".utf8)
        } else if has(".snd"), head.count >= 16 {
            // One chunk, whose size stands behind the place of its samples.
            (first, idLength, sizeLength, data) = (4, 4, 4, Array(head[4..<8]))
            skipped = Self.number(head[4..<8]) - 4
        } else if has("FLV") {
            // Behind each tag stands its length.
            (first, idLength, sizeLength, skipped) = (13, 1, 3, 15)
        } else if has("ftyp", at: 4) {
            (sizeIsFirst, countsHeader) = (true, true)
        } else if MediaContent(of: head[...]).isWindowsMedia {
            (idLength, sizeLength, isBigEndian, countsHeader) = (16, 8, false, true)
        } else {
            return nil
        }
    }

    struct Walk {
        /// Where bytes begin that are no chunk.
        var end: Int
        var nextFile: Int?
        var isCutShort = false
    }

    /// Steps over chunks, from the beginning of the file or from any place behind its samples.
    func walk(from start: Int, in file: VirtualFile) -> Walk {
        var walk = Walk(end: start == origin ? start + first : aligned(start))
        var isBehindData = start > origin || data == nil
        while walk.end < file.byteCount {
            // Writers disagree on a byte after an odd number.
            let next = isBehindData && walk.end > origin ? [0, 1, -1].map { walk.end + $0 } : []
            walk.nextFile = next.first {
                Self.beginsFile(file.bytes(at: Tags.end(from: $0, in: file), 64))
            }
            if walk.nextFile != nil { break }
            guard let chunk = chunk(at: walk.end, in: file) else { break }
            let isData = data.map { chunk.id.starts(with: $0) } ?? false
            guard chunk.end <= file.byteCount else {
                walk.isCutShort = isData && !isUnknown(chunk.size)
                break
            }
            if isData { isBehindData = true }
            walk.end = min(aligned(chunk.end), file.byteCount)
        }
        return walk
    }

    private func aligned(_ place: Int) -> Int {
        place + (alignment - (place - origin) % alignment) % alignment
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { ($0 & 0x007F_FFFF_FFFF_FFFF) << 8 | Int($1) }
    }

    private func chunk(at place: Int, in file: VirtualFile) -> (id: [UInt8], size: Int, end: Int)? {
        let head = file.bytes(at: place, idLength + sizeLength + 8)
        guard head.count >= idLength + sizeLength else { return nil }
        let id = Array(head[(sizeIsFirst ? sizeLength : 0)...].prefix(idLength))
        let isText = id.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
        guard idLength != 4 || isText || id == data else { return nil }
        let field = head[(sizeIsFirst ? 0 : idLength)...].prefix(sizeLength)
        var size = isBigEndian ? Self.number(field) : Self.number(field.reversed())
        if sizeIsFirst, size == 1, head.count >= 16 { size = Self.number(head[8..<16]) }
        if sizeIsFirst, size == 0 { size = file.byteCount - place }
        if let largeSize, size == 0xFFFF_FFFF, id == data { size = largeSize }
        guard countsHeader ? size >= idLength + sizeLength : size < 1 << 62 else { return (id, size, .max) }
        return (id, size, place + headerLength + size)
    }

    /// Programs that write to a pipe state a size near 2³¹, 2³² or 2⁶⁴.
    private func isUnknown(_ size: Int) -> Bool {
        size >= 1 << 62 || countsHeader && size < idLength + sizeLength
            || (0x7FFF_0000...0x8000_0000).contains(size)
            || (0xFFFF_0000...0xFFFF_FFFF).contains(size)
    }

    private static func beginsFile(_ head: [UInt8]) -> Bool {
        head.count >= 12
            && (head.starts(with: "RIFF".utf8) && !head[8..<12].elementsEqual("AVIX".utf8)
                || ["RIFX", "RF64", "FORM", "caff", "riff", ".snd", "FLV\u{1}"].contains {
                    head.starts(with: $0.utf8)
                }
                || head[4...].starts(with: "ftyp".utf8) || MediaContent(of: head[...]).isWindowsMedia)
    }
}
