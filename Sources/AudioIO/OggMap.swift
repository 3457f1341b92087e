/// The pages of an Ogg stream.
struct OggMap {
    /// Where the next stream begins, or the file ends.
    private(set) var end: Int
    /// Whether no page is missing or damaged.
    private(set) var isPlain = true
    /// Whether sound pages are missing at the beginning.
    private(set) var losesBeginning = false

    /// Reads the pages from `start` on; nil unless one stream begins there, with no other at the same time.
    init?(_ file: VirtualFile, from start: Int) {
        end = file.byteCount
        var (chunk, chunkStart): ([UInt8], Int) = ([], start)
        var place = start
        var last: OggStream.Page?
        var isInHeader = true
        var isGap = false
        while place < end {
            if place + OggStream.longestPage > chunkStart + chunk.count,
                chunkStart + chunk.count < end || chunk.isEmpty
            {
                chunk = file.bytes(at: place, 4 * OggStream.longestPage)
                chunkStart = place
                guard !chunk.isEmpty else { break }
            }
            guard let page = OggStream.Page(at: place - chunkStart, in: chunk, offset: chunkStart) else {
                guard last != nil else { return nil }
                if !isGap, Tags.end(from: place, in: file) == file.byteCount { break }
                (isGap, isPlain) = (true, false)
                place = chunkStart + Self.nextMagic(in: chunk, after: place - chunkStart)
                continue
            }
            if let previous = last {
                if page.beginsStream {
                    // Streams at a time begin one after the other.
                    if previous.beginsStream { return nil }
                    end = place
                    break
                }
                guard page.serial == previous.serial || !isPlain else { return nil }
                if page.number != previous.number &+ 1 { (isGap, isPlain) = (true, false) }
            } else if !page.beginsStream {
                return nil
            }
            if isInHeader, page.granule ?? 0 > 0 {
                losesBeginning = isGap
                isInHeader = false
            }
            isGap = false
            last = page
            place = page.bytes.upperBound
        }
        if last == nil { return nil }
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
