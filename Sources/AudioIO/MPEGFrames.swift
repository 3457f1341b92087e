/// The frames of MPEG audio from a place of a file on, without the tags and other bytes between them.
///
/// They end where a frame states the length of another recording, or has another rate or channel count.
struct MPEGFrames {
    private(set) var parts: [Range<Int>] = []
    /// Where the next recording begins.
    private(set) var end: Int
    /// What takes the place of a first frame that states too few frames.
    private(set) var lengthFrame: [UInt8]?
    private(set) var damage: AudioDamage?

    /// The number of samples of a channel.
    private(set) var sampleCount = 0

    private var frameCount = 0

    /// Nil if there are no two frames in a row, or if their length is not in their headers.
    init?(_ file: VirtualFile, in range: Range<Int>) {
        end = range.upperBound
        var reader = ByteWindow(file, end: range.upperBound)
        guard let start = Self.nextFrame(&reader, from: range.lowerBound, like: nil),
            let first = Header(&reader, at: start)
        else { return nil }
        let stated = first.statedFrames(&reader)
        var place = start
        while let here = Self.nextFrame(&reader, from: place, like: first) {
            if here > place, !parts.isEmpty {
                let skipped = Tags.end(from: place, in: file)
                note(skipped < here ? here - skipped : 0, first)
            }
            guard let frame = Header(&reader, at: here) else { break }
            if frame.format != first.format || here > start && frame.holdsLength(&reader) {
                end = here
                break
            }
            frameCount += 1
            let frameEnd = min(here + frame.byteCount, range.upperBound)
            if let last = parts.indices.last, parts[last].upperBound == here {
                parts[last] = parts[last].lowerBound..<frameEnd
            } else {
                parts.append(here..<frameEnd)
            }
            place = frameEnd
        }
        if end == range.upperBound, place < end { note(Tags.bytesOfAudio(in: place..<end, of: file), first) }
        // The first has no audio then.
        if stated != nil { frameCount -= 1 }
        sampleCount = frameCount * first.frameSamples
        // A number of more frames than there are is a promise of the file.
        statesLength = (stated ?? 0) >= frameCount
        if !statesLength, let frame = first.lengthFrame(stating: frameCount, &reader) {
            (statesLength, lengthFrame) = (true, frame)
            parts[0] = (start + first.byteCount)..<parts[0].upperBound
        }
    }

    /// Whether the first frame states the number of frames, so that fewer are damage.
    private(set) var statesLength = false

    /// Fewer bytes than a frame are a decoder's or an editor's cut.
    private mutating func note(_ byteCount: Int, _ header: Header) {
        guard byteCount > header.byteCount, damage == nil else { return }
        damage = AudioDamage(
            seconds: Double(frameCount * header.frameSamples) / Double(header.sampleRate),
            reason: "\(byteCount) bytes are no MPEG audio; they are left out, and what follows may be early")
    }

    /// The place of the next frame that another follows, or that ends the file.
    private static func nextFrame(_ reader: inout ByteWindow, from start: Int, like first: Header?) -> Int? {
        var place = start
        while place + 4 <= reader.end {
            if let frame = Header(&reader, at: place) {
                // One that begins where the last ended needs no proof.
                if first != nil, place == start, frame.format == first?.format { return place }
                let next = place + frame.byteCount
                if next == reader.end || Header(&reader, at: next)?.format == frame.format { return place }
            }
            place += 1
        }
        return nil
    }

    private struct Header {
        /// Version, layer, rate and whether it is mono.
        let format: Int
        let byteCount: Int
        let frameSamples: Int
        let sampleRate: Int
        private let place: Int
        private let word: Int

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
            word = reader.number(at: place)
            let (version, layer) = (word >> 19 & 3, 4 - (word >> 17 & 3))
            let (rate, bitrate) = (word >> 10 & 3, word >> 12 & 15)
            guard word >> 21 == 0x7FF, version != 1, layer != 4, rate != 3, (1...14).contains(bitrate)
            else { return nil }
            self.place = place
            format = word & 0x1E_0C00 | (word >> 6 & 3 == 3 ? 1 : 0)
            sampleRate = [44_100, 48_000, 32_000][rate] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
            frameSamples = layer == 1 ? 384 : layer == 2 || version == 3 ? 1152 : 576
            let row = version == 3 ? layer - 1 : layer == 1 ? 3 : 4
            let slot = layer == 1 ? 4 : 1
            let slots = frameSamples / 8 / slot * 1000 * Self.kilobits[row][bitrate] / sampleRate
            byteCount = (slots + (word >> 9 & 1)) * slot
        }

        /// Where layer III has the length: behind the side information.
        private var lengthPlace: Int? {
            guard word >> 17 & 3 == 1 else { return nil }
            let isMono = word >> 6 & 3 == 3
            return place + 4 + (word >> 19 & 1 == 1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
        }

        func holdsLength(_ reader: inout ByteWindow) -> Bool { statedFrames(&reader) != nil }

        /// 0 if it only says that it could.
        func statedFrames(_ reader: inout ByteWindow) -> Int? {
            guard let lengthPlace, place + byteCount <= reader.end else { return nil }
            let tag = reader.number(at: lengthPlace)
            if tag == Self.xing || tag == Self.info {
                return reader[lengthPlace + 7] & 1 == 0 ? 0 : reader.number(at: lengthPlace + 8)
            }
            return reader.number(at: place + 36) == Self.vbri ? reader.number(at: place + 50) : nil
        }

        /// The same frame with the right number, so that the encoder's delay stays; nil if it has none.
        func lengthFrame(stating count: Int, _ reader: inout ByteWindow) -> [UInt8]? {
            guard let lengthPlace, reader.number(at: place + 36) != Self.vbri,
                reader[lengthPlace + 7] & 1 != 0, holdsLength(&reader)
            else { return nil }
            var frame = (0..<byteCount).map { reader[place + $0] }
            for byte in 0..<4 {
                frame[lengthPlace - place + 8 + byte] = UInt8(truncatingIfNeeded: count >> (24 - 8 * byte))
            }
            return frame
        }
    }
}
