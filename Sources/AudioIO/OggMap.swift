/// The pages of an Ogg stream.
struct OggMap {
    /// Where the next stream begins, or the file ends.
    private(set) var end: Int
    /// Whether no page is missing or damaged, or states another time than its samples make.
    private(set) var isPlain = true
    /// Whether sound pages are missing at the beginning.
    private(set) var losesBeginning = false

    /// Reads the pages from `start` on, to the first that is damaged.
    ///
    /// Nil unless one stream begins there, with no other at the same time.
    init?(_ file: VirtualFile, from start: Int) {
        end = file.byteCount
        guard var last = OggStream.Page(at: start, in: file), last.beginsStream else { return nil }
        let codec = OggCodec(header: last.packets.first ?? [])
        var place = last.bytes.upperBound
        var (time, isInHeader): (Int?, Bool) = (nil, true)
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
                guard page != nil || Tags.end(from: place, in: file) < file.byteCount else { break }
                (isPlain, losesBeginning) = (false, isInHeader)
                end = Self.nextStream(in: file, after: place)
                break
            }
            if page.endSample < -1 {
                (time, isInHeader) = (nil, false)
            } else if page.endSample > 0 || time != nil && !page.packets.isEmpty {
                if let time, let codec {
                    isPlain = isPlain && codec.samples(of: page).contains(page.endSample - time)
                }
                (time, isInHeader) = (page.endSample, false)
            }
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

/// What the codec of an Ogg stream says of the lengths of its packets.
private enum OggCodec {
    case opus
    case other(longestPacket: Int)

    /// Nil for a codec whose lengths are not known.
    init?(header: ArraySlice<UInt8>) {
        let header = Array(header)
        if header.starts(with: "OpusHead".utf8) {
            self = .opus
        } else if header.starts(with: "\u{01}vorbis".utf8), header.count > 28 {
            // Blocks overlap by half.
            self = .other(longestPacket: (1 << Int(header[28] >> 4)) / 2)
        } else if header.starts(with: "\u{7F}FLAC".utf8), header.count > 20 {
            self = .other(longestPacket: Int(header[19]) << 8 | Int(header[20]))
        } else {
            return nil
        }
    }

    /// How many samples the packets may have that end on `page`.
    func samples(of page: OggStream.Page) -> ClosedRange<Int> {
        switch self {
        case .other(let longestPacket): return 0...(page.packets.count * longestPacket)
        case .opus:
            let whole = page.packets.dropFirst(page.continuesPacket ? 1 : 0)
            let count = whole.reduce(0) { $0 + Self.samples(ofOpus: $1) }
            return (page.endsStream ? 0 : count)...(page.continuesPacket ? count + 5760 : count)
        }
    }

    /// The samples of a packet at 48 kHz (RFC 6716, section 3.1).
    private static func samples(ofOpus packet: ArraySlice<UInt8>) -> Int {
        guard let first = packet.first else { return 0 }
        let mode = Int(first >> 3)
        let frame =
            mode < 12
            ? [480, 960, 1920, 2880][mode & 3] : mode < 16 ? 480 << (mode & 1) : 120 << (mode & 3)
        return frame * [1, 2, 2, Int(packet.dropFirst().first ?? 0) & 63][Int(first & 3)]
    }
}
