/// What the bytes of samples without compression tell of their content.
struct SampleContent {
    /// What they hold instead of samples, in words.
    private(set) var coding: String?
    /// Whether they are spread as the bytes of a picture or an archive are, and as no sound is.
    private(set) var isNoSound = false

    private static let windowBytes = 1 << 16
    private static let longestSilenceBytes = 1 << 22

    /// The first three words of a frame; of the third only some bits are the same in every frame.
    private struct Mark {
        let name: String
        let words: [UInt16]
        var mask: UInt16 = 0
    }

    /// The first words of a burst of IEC 61937, and of frames of DTS in 14 and 16 bits.
    ///
    /// The first two words alone also occur in music: the 16 bits of DTS are two samples that cross zero.
    private static let marks = [
        Mark(name: "audio coded for digital outputs (IEC 61937)", words: [0xF872, 0x4E1F, 0]),
        Mark(name: "DTS audio", words: [0x1FFF, 0xE800, 0x07F0], mask: 0xFFF0),
        Mark(name: "DTS audio", words: [0x7FFE, 0x8001, 0xFC00], mask: 0xFC00),
    ]
    /// The bytes of 32 samples of two channels.
    ///
    /// A frame has a multiple of them.
    private static let blockBytes = 128

    /// Looks at the first bytes of a range that are not zero.
    init(_ samples: BareSamples, _ range: Range<Int>, of file: VirtualFile) {
        var start = range.lowerBound
        let last = min(range.upperBound, start + Self.longestSilenceBytes)
        var window: [UInt8] = []
        while start < last {
            window = file.bytes(at: start, min(Self.windowBytes, range.upperBound - start))
            guard let sound = window.firstIndex(where: { $0 != 0 }) else {
                start += max(1, window.count)
                continue
            }
            guard sound > 0 else { break }
            // Whole frames.
            start += sound / samples.frameBytes * samples.frameBytes
            window = file.bytes(at: start, min(Self.windowBytes, range.upperBound - start))
            break
        }
        guard window.count > 4096 else { return }
        coding = Self.coding(in: window)
        isNoSound = Self.isSpread(window)
    }

    /// What the window holds, in either order of bytes.
    ///
    /// Frames follow each other, so that a mark occurs more than once, whole blocks apart.
    private static func coding(in window: [UInt8]) -> String? {
        window.withUnsafeBytes { bytes in
            for mark in marks {
                for isSwapped in [false, true] {
                    func word(_ place: Int) -> UInt16 {
                        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)
                        return isSwapped ? word.byteSwapped : word
                    }
                    var last: Int?
                    // They begin where samples do.
                    for place in stride(from: 0, through: bytes.count - 6, by: 2)
                    where word(place) == mark.words[0] && word(place + 2) == mark.words[1]
                        && word(place + 4) & mark.mask == mark.words[2]
                    {
                        if let last, (place - last).isMultiple(of: blockBytes) { return mark.name }
                        last = place
                    }
                }
            }
            return nil
        }
    }

    /// Whether all values of a byte are about as frequent.
    ///
    /// Of sound, also of loud noise, the largest samples are rare.
    private static func isSpread(_ window: [UInt8]) -> Bool {
        var counts = [Int](repeating: 0, count: 256)
        counts.withUnsafeMutableBufferPointer { counts in
            window.withUnsafeBufferPointer { window in for byte in window { counts[Int(byte)] += 1 } }
        }
        let mean = Double(window.count) / 256
        let spread = counts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) / mean }
        // About 255 for bytes drawn at random; archives and pictures have some favourites.
        return spread < 255 * 8
    }
}
