import AudioCore

/// One mutated file.
struct MutatedFile: Sendable {
    let number: Int
    let fileExtension: String
    let bytes: [UInt8]
}

/// Makes mutated files; each depends only on the seed and its number.
struct FileMutator: Sendable {
    let originals: [OriginalFile]
    let seed: UInt64

    /// The file of that number: one to three mutations of one original.
    func file(_ number: Int) -> MutatedFile {
        var generator = SeededGenerator(seed: seed, "mutated audio", "\(number)")
        let original = originals[generator.index(below: originals.count)]
        var bytes = original.bytes
        for _ in 0...generator.index(below: 3) { mutate(&bytes, using: &generator) }
        return MutatedFile(number: number, fileExtension: original.fileExtension, bytes: bytes)
    }

    private func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        switch generator.index(below: 7) {
        case 0: flipBits(&bytes, within: bytes.count, using: &generator)
        case 1: flipBits(&bytes, within: min(bytes.count, 256), using: &generator)
        case 2: bytes.removeLast(generator.index(below: bytes.count) + 1)
        case 3: setField(&bytes, using: &generator)
        case 4: spliceHeader(&bytes, using: &generator)
        case 5: moveBlock(&bytes, using: &generator)
        default: overwriteBlock(&bytes, using: &generator)
        }
    }

    private func flipBits(_ bytes: inout [UInt8], within length: Int, using generator: inout SeededGenerator)
    {
        for _ in 0..<(1 << generator.index(below: 8)) {
            bytes[generator.index(below: length)] ^= 1 << UInt8(generator.index(below: 8))
        }
    }

    /// Puts an extreme number where a header may have a size, a count or a rate.
    private func setField(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let extremes: [UInt64] = [
            0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1_000_000_000, .max,
            1 << 63,
        ]
        let value = extremes[generator.index(below: extremes.count)]
        let width = [1, 2, 4, 8][generator.index(below: 4)]
        let isBigEndian = generator.index(below: 2) == 0
        let start = generator.index(below: min(bytes.count, 200))
        for index in 0..<width where start + index < bytes.count {
            let shift = UInt64(8 * (isBigEndian ? width - 1 - index : index))
            bytes[start + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }

    /// Replaces the beginning by that of another file.
    private func spliceHeader(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let other = originals[generator.index(below: originals.count)].bytes
        let head = other.prefix(4 + generator.index(below: 200))
        bytes.replaceSubrange(0..<min(bytes.count, generator.index(below: 200)), with: head)
    }

    /// Removes a block, or repeats it elsewhere.
    private func moveBlock(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let start = generator.index(below: bytes.count)
        let end = min(bytes.count, start + 1 + generator.index(below: 4096))
        let block = Array(bytes[start..<end])
        if generator.index(below: 2) == 0 {
            bytes.removeSubrange(start..<end)
        } else {
            bytes.insert(contentsOf: block, at: generator.index(below: bytes.count))
        }
    }

    /// Fills a block with zeros, ones or random bytes.
    private func overwriteBlock(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let start = generator.index(below: bytes.count)
        let end = min(bytes.count, start + 1 + generator.index(below: 1024))
        let kind = generator.index(below: 3)
        for index in start..<end {
            bytes[index] = kind == 0 ? 0 : kind == 1 ? 0xFF : UInt8(truncatingIfNeeded: generator.next())
        }
    }
}
