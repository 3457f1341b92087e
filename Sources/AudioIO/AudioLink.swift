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
    /// Where the first chunk of samples ends; nil if libsndfile finds that.
    let firstEnd: Int?
    /// Its last chunk, if that is cut and has no samples.
    let cut: (name: String, bytes: Range<Int>)?
    /// Whether its samples are in a list, between lengths of silence.
    let hasSampleList: Bool
    /// What its samples hold that is no sound, such as a coding for digital outputs.
    var coding: String?
    /// Whether its samples are spread as no sound is.
    var isNoSound = false
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
        // libsndfile reads the last of several, and in a W64 file all that follows.
        firstEnd = walk?.hasMoreData == true || chunks?.hasLongNames == true ? walk?.dataEnd : nil
        hasSampleList = walk?.hasSampleList ?? false
        end = walk?.nextFile ?? file.byteCount
        var last = end == file.byteCount ? Tags.start(before: end, in: file) : end
        // Tags that state their length only at their beginning.
        if let walk, walk.end > start, Tags.end(from: walk.end, in: file) >= last {
            last = min(last, walk.end)
        }
        cut = walk?.cutChunk.flatMap { name in walk.map { (name, $0.end..<max($0.end, last)) } }
        if let cut { last = min(last, cut.bytes.lowerBound) }
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

    /// Whether the header leaves out the bytes from `place` on.
    func isComplete(at place: Int) -> Bool { chunks?.statedEnd.map { abs($0 - place) <= 1 } ?? false }

    /// What follows `place`, where a decoder has ended.
    func rest(from place: Int, in file: VirtualFile) -> Rest {
        let walk = chunks?.walk(from: place, in: file)
        if let data = walk?.nextData { return .samples(data) }
        if let name = walk?.cutChunk, let walk { return .cutChunk(name, walk.end..<file.byteCount) }
        if let walk, walk.namedCount > 1, walk.end < bytes.upperBound {
            return .remains(walk.end..<bytes.upperBound)
        }
        // Samples can look like a chunk or two, and some writers leave bytes behind the last.
        let last = walk?.end ?? place
        let isRead =
            place >= bytes.upperBound || Tags.end(from: place, in: file) >= bytes.upperBound
            || last > place && Tags.end(from: last, in: file) + MediaContent.headLength >= bytes.upperBound
        return isRead ? .nothing : .unknown(place..<bytes.upperBound)
    }

    enum Rest {
        case nothing
        /// Another chunk of samples.
        case samples(Range<Int>)
        /// The beginning of a chunk of another kind, with its name.
        case cutChunk(String, Range<Int>)
        /// Bytes behind the last of some chunks.
        case remains(Range<Int>)
        /// Bytes that are neither chunks of the container nor tags.
        case unknown(Range<Int>)
    }
}

/// The framing of a container that is made of chunks, with an identifier and a size each.
struct ChunkFormat {
    /// Where the file begins.
    private let origin: Int
    /// Where the first chunk is, from there.
    private var first = 12
    private var idLength = 4
    /// The bytes of the samples' chunk before its samples.
    private var dataHeader = 0
    private var sizeLength = 4
    private var isBigEndian = true
    private var sizeIsFirst = false
    /// The bytes of a chunk that its size leaves out.
    private var uncounted = 8
    private var alignment = 1
    /// The identifier of the samples' chunk.
    private var data: [UInt8]?
    /// Where the file ends as it states itself; nil if it does not.
    private(set) var statedEnd: Int?
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
            let size = head[4..<8]
            statedEnd = origin + 8 + (isBigEndian ? Self.number(size) : Self.number(size.reversed()))
            if has("ds64", at: 12), head.count >= 36 { largeSize = Self.number(head[28..<36].reversed()) }
        } else if has("RIFF"), !has("AVIX", at: 8) {
            // Of an AVI file, RIFF itself is the chunk: there may be several.
            (first, isBigEndian, alignment) = (0, false, 2)
        } else if has("AIF", at: 8), has("FORM") {
            (alignment, data, dataHeader) = (2, Array("SSND".utf8), 8)
        } else if has("caff") {
            (first, sizeLength, uncounted, data, dataHeader) = (8, 8, 12, Array("data".utf8), 4)
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

    /// What is found by stepping over chunks.
    struct Walk {
        /// Where bytes begin that are no whole chunk.
        var end: Int
        /// Where the next file begins.
        var nextFile: Int?
        /// Whether samples are missing.
        var isCutShort = false
        /// Where the first samples end.
        var dataEnd: Int?
        /// Whether there are more samples behind.
        var hasMoreData = false
        /// Samples behind those that were stepped over.
        var nextData: Range<Int>?
        /// Whether there is a list of samples and silence.
        var hasSampleList = false
        /// How many of the chunks behind the samples have a known name.
        var namedCount = 0
        /// The name of a chunk that is cut, if it is known that it has no samples.
        var cutChunk: String?
    }

    /// Names of chunks behind samples, which four bytes of samples rarely read.
    private static let named: Set<String> = [
        "LIST", "id3 ", "ID3 ", "bext", "iXML", "axml", "cue ", "smpl", "fact", "JUNK", "junk", "PAD ",
        "FLLR",
        "_PMX", "PEAK", "inst", "acid", "DISP", "cart", "plst", "ANNO", "NAME", "AUTH", "COMT", "APPL",
        "MARK",
        "info", "uuid",
    ]

    /// What follows the four letters of a name of 16 bytes.
    private static let ends: [[UInt8]] = [
        [0xF3, 0xAC, 0xD3, 0x11], [0x2F, 0x91, 0xCF, 0x11], [0x2E, 0x91, 0xCF, 0x11],
    ]
    var hasLongNames: Bool { idLength == 16 && data != nil }

    /// Steps over chunks, from the beginning of the file or from any place behind its samples.
    func walk(from start: Int, in file: VirtualFile) -> Walk {
        var walk = Walk(end: start == origin ? start + first : aligned(start))
        var isBehindData = start > origin || data == nil
        while walk.end < file.byteCount {
            let end = walk.end
            // Writers disagree on a byte after an odd number.
            let places = isBehindData && end > origin ? [end, end + 1, end - 1] : []
            walk.nextFile = places.first {
                ChunkFormat(file.bytes(at: Tags.end(from: $0, in: file), 64), at: 0) != nil
            }
            guard walk.nextFile == nil, let chunk = chunk(at: end, in: file) else { return walk }
            let isData = data.map { chunk.id.starts(with: $0) } ?? false
            let name = String(decoding: chunk.id.prefix(4), as: UTF8.self)
            let isNamed =
                Self.named.contains(name) || hasLongNames && Self.ends.contains(Array(chunk.id[4..<8]))
            let body = end + idLength + sizeLength
            if name == "LIST", file.has("wavl", at: body) { walk.hasSampleList = true }
            if isData, start > origin {
                walk.nextData = (body + dataHeader)..<max(body + dataHeader, min(chunk.end, file.byteCount))
                return walk
            }
            guard chunk.end <= file.byteCount else {
                walk.isCutShort = isData && !isUnknown(chunk.size)
                if isBehindData, isNamed { walk.cutChunk = name }
                return walk
            }
            if isBehindData, isNamed { walk.namedCount += 1 }
            if isData {
                isBehindData = true
                walk.hasMoreData = walk.dataEnd != nil
                walk.dataEnd = walk.dataEnd ?? chunk.end
            }
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
        let isSound = size < 1 << 62 && uncounted + size >= idLength + sizeLength
        return (id, size, isSound ? place + uncounted + size : .max)
    }

    /// Programs that write to a pipe state a size near 2³¹, 2³² or 2⁶⁴.
    private func isUnknown(_ size: Int) -> Bool {
        size >= 1 << 62 || uncounted + size < idLength + sizeLength
            || (0x7FFF_0000...0x8000_0000).contains(size) || (0xFFFF_0000...0xFFFF_FFFF).contains(size)
    }
}
