import AudioCore

/// Damages files and makes their checksums valid again, so that readers reach the damage.
enum FileLies {
    /// Changes up to five numbers, each of a section or of the header.
    static func tell(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let sections = Int(bytes[12])
        for _ in 0...generator.index(below: 5) {
            var place = 8 + generator.index(below: 40 + 24 * sections)
            if generator.index(below: 8) > 0 {
                let section = SealedFile.section(generator.index(below: sections), of: bytes)
                guard !section.isEmpty else { continue }
                place = section.lowerBound + generator.index(below: section.count)
            }
            let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, bytes[place] &+ 1, bytes[place] &- 1]
            let width = [1, 1, 2, 4, 8][generator.index(below: 5)]
            let value =
                generator.index(below: 3) == 0
                ? UInt8(truncatingIfNeeded: generator.next()) : values[generator.index(below: values.count)]
            for byte in place..<min(place + width, bytes.count) { bytes[byte] = value }
        }
        SealedFile.seal(&bytes)
    }
}
