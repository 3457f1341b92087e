/// One recording of a file.
///
/// Most files hold one. Others are joined end to end, with tags before, between and after the recordings.
struct AudioLink {
    let content: MediaContent
    /// From its header to the next recording, without tags at both ends.
    private(set) var bytes: Range<Int>
    /// Where the next begins, or the file ends.
    private(set) var end: Int
    /// The frames that it has, if they were counted.
    private(set) var countedFrames: Int?
    /// Whether some of its pages are missing, damaged or at wrong times.
    var isBroken = false
    /// Whether what is missing at the beginning moves no time.
    var startsAtZero = false
    /// Whether the header states more bytes than the file has.
    let isCutShort: Bool

    private let chunks: ChunkFormat?

    /// Takes the one that begins at `place`.
    init(at place: Int, in file: VirtualFile) {
        let start = Tags.end(from: place, in: file)
        let head = file.bytes(at: start, MediaContent.headLength)
        let kind = MediaContent(of: head)
        content = (kind.isUnknown || !kind.mayHoldAudio) && file.has("ID3", at: place) ? .mpegAudio : kind
        chunks = ChunkFormat(head, at: start)
        let walk = chunks?.walk(from: start, in: file)
        isCutShort = walk?.isCutShort ?? false
        end = walk?.nextFile ?? file.byteCount
        var last = end == file.byteCount ? Tags.start(before: end, in: file) : end
        // Tags that state their length only at their beginning.
        if let walk, walk.end > start, Tags.end(from: walk.end, in: file) >= last {
            last = min(last, walk.end)
        }
        if content.isStream { last = Tags.startOfID3(before: last, in: file) }
        bytes = start..<max(start, last)
    }

    /// Whether it has more than tags and zeros, and ffmpeg may find audio in that.
    var mayHoldAudio: Bool { content.mayHoldAudio && !bytes.isEmpty }

    /// Sets the end, which only a look at all frames or pages finds.
    ///
    /// - Parameters:
    ///   - last: Where its audio ends.
    ///   - frames: The frames that it has, if they were counted.
    mutating func end(at place: Int, last: Int? = nil, frames: Int? = nil) {
        countedFrames = frames
        if place < bytes.upperBound { end = place }
        bytes = bytes.lowerBound..<min(bytes.upperBound, place, last ?? place)
    }

    /// The bytes from `place` on that are neither chunks of the container nor tags; nil if there are none.
    func unread(from place: Int, in file: VirtualFile) -> Range<Int>? {
        // Samples can look like a chunk or two, and some writers leave bytes behind the last.
        let last = chunks?.walk(from: place, in: file).end ?? place
        let isRead =
            Tags.end(from: place, in: file) >= bytes.upperBound
            || last > place && Tags.end(from: last, in: file) + MediaContent.headLength >= bytes.upperBound
        return isRead ? nil : place..<bytes.upperBound
    }
}

/// The framing of a container that is made of chunks, with an identifier and a size each.
struct ChunkFormat {
    /// Where the file begins.
    private let origin: Int
    /// Where the first chunk is, from there.
    private var first = 12
    private var idLength = 4
    private var sizeLength = 4
    private var isBigEndian = true
    private var sizeIsFirst = false
    /// The bytes of a chunk that its size leaves out.
    private var uncounted = 8
    private var alignment = 1
    /// The identifier of the samples' chunk.
    private var data: [UInt8]?
    /// Where a RIFF file of 64 bits states the size of that chunk.
    private var largeSize: Int?

    /// Reads the head of a file that begins at `origin`; nil for another kind.
    init?(_ head: [UInt8], at origin: Int) {
        self.origin = origin
        func has(_ text: String, at place: Int = 0) -> Bool {
            head.dropFirst(place).starts(with: text.utf8)
        }
        if has("WAVE", at: 8), has("RIFF") || has("RIFX") || has("RF64") || has("BW64") {
            (isBigEndian, alignment, data) = (has("RIFX"), 2, Array("data".utf8))
            if has("ds64", at: 12), head.count >= 36 { largeSize = Self.number(head[28..<36].reversed()) }
        } else if has("RIFF"), !has("AVIX", at: 8) {
            // Of an AVI file, RIFF itself is the chunk: there may be several.
            (first, isBigEndian, alignment) = (0, false, 2)
        } else if has("AIF", at: 8), has("FORM") {
            (alignment, data) = (2, Array("SSND".utf8))
        } else if has("caff") {
            (first, sizeLength, uncounted, data) = (8, 8, 12, Array("data".utf8))
        } else if has("riff"), head.count > 40 {
            (first, idLength, sizeLength, isBigEndian, uncounted, alignment) = (40, 16, 8, false, 0, 8)
            data = Array("data".utf8)
        } else if has(".snd"), head.count >= 16 {
            // One chunk, whose size stands behind the place of its samples.
            (first, uncounted, data) = (4, Self.number(head[4..<8]) - 4, Array(head[4..<8]))
        } else if has("FLV\u{1}") {
            // Behind each tag stands its length.
            (first, idLength, sizeLength, uncounted) = (13, 1, 3, 15)
        } else if has("ftyp", at: 4) {
            (first, sizeIsFirst, uncounted) = (0, true, 0)
        } else if MediaContent(of: head).isWindowsMedia {
            (first, idLength, sizeLength, isBigEndian, uncounted) = (0, 16, 8, false, 0)
        } else {
            return nil
        }
    }

    /// Steps over chunks, from the beginning of the file or from any place behind its samples.
    ///
    /// - Returns: Where bytes begin that are no chunk, where the next file begins, and whether samples are missing.
    func walk(from start: Int, in file: VirtualFile) -> (end: Int, nextFile: Int?, isCutShort: Bool) {
        var end = start == origin ? start + first : aligned(start)
        var isBehindData = start > origin || data == nil
        while end < file.byteCount {
            // Writers disagree on a byte after an odd number.
            let places = isBehindData && end > origin ? [end, end + 1, end - 1] : []
            if let next = places.first(where: {
                ChunkFormat(file.bytes(at: Tags.end(from: $0, in: file), 64), at: 0) != nil
            }) {
                return (end, next, false)
            }
            guard let chunk = chunk(at: end, in: file) else { break }
            let isData = data.map { chunk.id.starts(with: $0) } ?? false
            guard chunk.end <= file.byteCount else { return (end, nil, isData && !isUnknown(chunk.size)) }
            if isData { isBehindData = true }
            end = min(aligned(chunk.end), file.byteCount)
        }
        return (end, nil, false)
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
        let isSound = size < 1 << 62 && uncounted + size >= idLength + sizeLength
        return (id, size, isSound ? place + uncounted + size : .max)
    }

    /// Programs that write to a pipe state a size near 2³¹, 2³² or 2⁶⁴.
    private func isUnknown(_ size: Int) -> Bool {
        size >= 1 << 62 || uncounted + size < idLength + sizeLength
            || (0x7FFF_0000...0x8000_0000).contains(size) || (0xFFFF_0000...0xFFFF_FFFF).contains(size)
    }
}
