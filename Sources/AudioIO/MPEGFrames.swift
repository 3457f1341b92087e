/// The frames of MPEG audio from a place of a file on, without the tags and other bytes between them.
///
/// They end where a frame states the length of another recording, or has another rate or channel count.
struct MPEGFrames {
    private(set) var parts: [Range<Int>] = []
    /// Where the next recording begins.
    private(set) var end: Int
    /// What takes the place of a first frame that states too few frames.
    private(set) var lengthFrame: [UInt8] = []
    /// Whether the first frame states the number of frames, so that fewer are damage.
    private(set) var statesLength: Bool
    /// The number of samples of a channel in whole frames.
    let sampleCount: Int
    private(set) var damage: AudioDamage?

    /// Nil if there are no two frames in a row, or if their length is not in their headers.
    init?(_ file: VirtualFile, in range: Range<Int>) {
        end = range.upperBound
        var reader = ByteWindow(file, end: range.upperBound)
        guard let first = Frame.next(&reader, from: range.lowerBound, like: nil) else { return nil }
        var (place, count, isCut) = (first.place, 0, false)
        var damage: AudioDamage?
        /// Fewer bytes than a frame are a decoder's or an editor's cut.
        func note(upTo end: Int) {
            let byteCount = end - Tags.end(from: place, in: file)
            // Frames differ by a byte of padding.
            guard byteCount >= first.byteCount - 1, damage == nil else { return }
            damage = AudioDamage(
                seconds: Double(count * first.sampleCount) / Double(first.sampleRate),
                reason:
                    "\(byteCount) bytes are no MPEG audio; they are left out, and what follows may be early")
        }
        while let frame = Frame.next(&reader, from: place, like: first) {
            if frame.place > place { note(upTo: frame.place) }
            if frame.format != first.format || count > 0 && frame.statedCount(&reader) != nil {
                end = frame.place
                break
            }
            let isNext = parts.last?.upperBound == frame.place
            let start = isNext ? parts.removeLast().lowerBound : frame.place
            isCut = frame.place + frame.byteCount > range.upperBound
            place = min(frame.place + frame.byteCount, range.upperBound)
            parts.append(start..<place)
            count += 1
        }
        if end == range.upperBound { note(upTo: end) }
        self.damage = damage
        let stated = first.statedCount(&reader)
        // The frame that states the number has no audio.
        if stated != nil { count -= 1 }
        sampleCount = (isCut ? count - 1 : count) * first.sampleCount
        // A number of more frames than there are is a promise of the file.
        statesLength = (stated ?? 0) >= count
        if !statesLength, let frame = first.stating(count, &reader) {
            (statesLength, lengthFrame) = (true, frame)
            parts[0] = (first.place + first.byteCount)..<parts[0].upperBound
        }
    }

    private struct Frame {
        let place: Int
        /// Version, layer, rate and whether it is mono.
        let format: Int
        let byteCount: Int
        let sampleCount: Int
        let sampleRate: Int
        /// Where layer III has the length: behind the side information.
        private let lengthPlace: Int?

        private static let kilobits: [[Int]] = [
            [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
            [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
            [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
            [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
            [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        ]

        /// The names of the tags: "Xing", "Info" and "VBRI".
        private static let (xing, info, vbri) = (0x5869_6E67, 0x496E_666F, 0x5642_5249)

        init?(_ reader: inout ByteWindow, at place: Int) {
            guard place + 4 <= reader.end, reader[place] == 0xFF else { return nil }
            let word = reader.number(at: place)
            let (version, layer) = (word >> 19 & 3, 4 - (word >> 17 & 3))
            let (rate, bitrate) = (word >> 10 & 3, word >> 12 & 15)
            guard word >> 21 == 0x7FF, version != 1, layer != 4, rate != 3, (1...14).contains(bitrate)
            else { return nil }
            let isMono = word >> 6 & 3 == 3
            self.place = place
            format = word & 0x1E_0C00 | (isMono ? 1 : 0)
            sampleRate = [44_100, 48_000, 32_000][rate] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
            sampleCount = layer == 1 ? 384 : layer == 2 || version == 3 ? 1152 : 576
            let row = version == 3 ? layer - 1 : layer == 1 ? 3 : 4
            let slot = layer == 1 ? 4 : 1
            let slots = sampleCount / 8 / slot * 1000 * Self.kilobits[row][bitrate] / sampleRate
            byteCount = (slots + (word >> 9 & 1)) * slot
            let sideInformation = version == 3 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
            lengthPlace = layer == 3 ? place + 4 + sideInformation : nil
        }

        /// The next frame that another follows, or that ends the file.
        static func next(_ reader: inout ByteWindow, from start: Int, like first: Frame?) -> Frame? {
            var place = start
            while place + 4 <= reader.end {
                if let frame = Frame(&reader, at: place) {
                    let next = place + frame.byteCount
                    // One that begins where the last ended needs no proof.
                    if place == start && frame.format == first?.format || next == reader.end
                        || Frame(&reader, at: next)?.format == frame.format
                    {
                        return frame
                    }
                }
                place += 1
            }
            return nil
        }

        /// The number of frames that it states, 0 if it only says that it could; nil without such a field.
        func statedCount(_ reader: inout ByteWindow) -> Int? {
            guard let lengthPlace, place + byteCount <= reader.end else { return nil }
            let tag = reader.number(at: lengthPlace)
            if tag == Self.xing || tag == Self.info {
                return reader[lengthPlace + 7] & 1 == 0 ? 0 : reader.number(at: lengthPlace + 8)
            }
            return reader.number(at: place + 36) == Self.vbri ? reader.number(at: place + 50) : nil
        }

        /// The same frame with the right number, so that the encoder's delay stays; nil if it has no field for it.
        func stating(_ count: Int, _ reader: inout ByteWindow) -> [UInt8]? {
            guard let lengthPlace, statedCount(&reader) != nil, reader.number(at: place + 36) != Self.vbri,
                reader[lengthPlace + 7] & 1 != 0
            else { return nil }
            var frame = (0..<byteCount).map { reader[place + $0] }
            for byte in 0..<4 {
                frame[lengthPlace - place + 8 + byte] = UInt8(truncatingIfNeeded: count >> (24 - 8 * byte))
            }
            return frame
        }
    }
}
