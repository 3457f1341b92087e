/// The pages of an Ogg stream.
struct OggMap {
    /// Where the next stream begins, or the file ends.
    private(set) var end: Int
    /// Whether no page is missing or damaged.
    private(set) var isPlain = true
    /// Whether sound pages are missing at the beginning.
    private(set) var losesBeginning = false

    /// Reads the pages from `start` on, to the first that is damaged.
    ///
    /// Nil unless one stream begins there, with no other at the same time.
    init?(_ file: VirtualFile, from start: Int) {
        end = file.byteCount
        guard var last = OggStream.Page(at: start, in: file), last.beginsStream else { return nil }
        var place = last.bytes.upperBound
        var isInHeader = true
        while place < file.byteCount {
            let page = OggStream.Page(at: place, in: file)
            if let page, page.beginsStream {
                // Streams at a time begin one after the other.
                if last.beginsStream { return nil }
                end = place
                break
            }
            if let page, page.serial != last.serial { return nil }
            guard let page, page.number == last.number &+ 1 else {
                isPlain = page == nil && Tags.end(from: place, in: file) == file.byteCount
                losesBeginning = !isPlain && isInHeader
                if !isPlain { end = Self.nextStream(in: file, after: place) }
                break
            }
            if page.endsSound { isInHeader = false }
            last = page
            place = page.bytes.upperBound
        }
    }

    /// Where the next stream begins behind damage, or the file ends.
    private static func nextStream(in file: VirtualFile, after start: Int) -> Int {
        var window = ByteWindow(file, end: file.byteCount)
        let magic = 0x4F67_6753
        return ((start + 1)..<max(start + 1, file.byteCount)).first {
            window[$0] == 0x4F && window.number(at: $0) == magic
                && OggStream.Page(at: $0, in: file)?.beginsStream == true
        } ?? file.byteCount
    }
}
