/// The sound pages of an Ogg file of one stream at a time, in the order of the file.
struct OggMap {
    /// Sound pages without a gap between them.
    struct Run {
        var bytes: Range<Int>
        /// The granule position at its end.
        var lastGranule = 0
        let followsGap: Bool
    }

    /// A stream from its header on; a file of several streams is chained.
    struct Link {
        var header: Range<Int>
        var runs: [Run] = []
        /// The first page's contents.
        let identification: [UInt8]

        /// The samples that Opus decoders leave out at the beginning, at 48 kHz; nil for another codec.
        var opusPreSkip: Int? {
            guard identification.count >= 12, identification.starts(with: "OpusHead".utf8) else { return nil }
            return Int(identification[10]) | Int(identification[11]) << 8
        }
    }

    private(set) var links: [Link] = []
    /// Whether streams that follow the last link are out of place, because bytes before them are missing.
    private(set) var isCutShort = false
    /// Whether the file ends with bytes that are no page.
    private(set) var endsWithinPage = false

    private var serial: UInt32 = 0
    private var firstNumber: UInt32 = 0
    private var nextNumber: UInt32 = 0
    private var isInHeader = false

    /// Reads all pages of `file`; nil unless it is an Ogg file of one stream at a time.
    init?(_ file: VirtualFile) {
        let length = file.byteCount
        var chunk: [UInt8] = []
        var chunkStart = 0
        var place = 0
        var hasGap = false
        while place < length {
            if place + OggStream.longestPage > chunkStart + chunk.count,
                chunkStart + chunk.count < length
                    || chunk.isEmpty
            {
                chunk = Self.read(file, from: place)
                chunkStart = place
                guard !chunk.isEmpty else { break }
            }
            if let page = OggStream.Page(at: place - chunkStart, in: chunk, offset: chunkStart) {
                guard add(page, afterGap: hasGap) else { return nil }
                if isCutShort { return }
                hasGap = false
                place = page.bytes.upperBound
                continue
            }
            guard !links.isEmpty else { return nil }
            hasGap = true
            place = chunkStart + Self.nextMagic(in: chunk, after: place - chunkStart)
        }
        endsWithinPage = hasGap
        if links.isEmpty { return nil }
    }

    /// Whether the file needs no care: one stream, whole.
    var isPlain: Bool { links.count == 1 && links[0].runs.count == 1 && !endsWithinPage && !isCutShort }

    /// Returns false for a file of several streams at a time.
    private mutating func add(_ page: OggStream.Page, afterGap: Bool) -> Bool {
        if page.beginsStream {
            // Streams at a time begin one after the other.
            if isInHeader, nextNumber == firstNumber &+ 1 { return false }
            if afterGap {
                // The length of what is missing before it is unknown.
                isCutShort = true
                return true
            }
            links.append(Link(header: page.bytes, identification: page.contents))
            serial = page.serial
            firstNumber = page.number
            nextNumber = page.number &+ 1
            isInHeader = true
            return true
        }
        guard page.serial == serial else {
            isCutShort = afterGap
            return afterGap
        }
        let hasGap = afterGap || page.number != nextNumber
        nextNumber = page.number &+ 1
        let last = links.count - 1
        if isInHeader {
            if page.granule ?? 0 == 0 {
                // A header with a gap cannot be read.
                if hasGap { isCutShort = true }
                links[last].header = links[last].header.lowerBound..<page.bytes.upperBound
                return true
            }
            isInHeader = false
            links[last].runs.append(Run(bytes: page.bytes, followsGap: hasGap))
        } else if hasGap {
            links[last].runs.append(Run(bytes: page.bytes, followsGap: true))
        }
        let run = links[last].runs.count - 1
        links[last].runs[run].bytes = links[last].runs[run].bytes.lowerBound..<page.bytes.upperBound
        if let granule = page.granule { links[last].runs[run].lastGranule = granule }
        return true
    }

    private static func read(_ file: VirtualFile, from start: Int) -> [UInt8] {
        let count = 4 * OggStream.longestPage
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = file.read(at: start, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// The place of the next magic number, or the first that may hold one only with more bytes.
    private static func nextMagic(in chunk: [UInt8], after start: Int) -> Int {
        let first = OggStream.magic[0]
        var place = start + 1
        while place < chunk.count {
            if chunk[place] == first,
                chunk[place...].prefix(4).elementsEqual(OggStream.magic.prefix(chunk.count - place))
            {
                return place
            }
            place += 1
        }
        return place
    }
}
