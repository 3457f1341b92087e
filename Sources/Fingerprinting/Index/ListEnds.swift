/// Where the posting list of each key ends, in two to three bits a key: the ends of lists rise, so Elias–Fano codes them.
///
/// Keys are in groups of 320, which are sixteen rows; keys without postings fill the last group. `groups` has two numbers for
/// each group: its first posting, and the byte at which its code begins. Two more mark the end of both.
///
/// The ends of the keys of a group of n postings are numbers e₀ … e₃₁₉ up to n, counted from its first posting. A group without
/// postings has no code. In others s is the least number for which n >> s is below 512. The code has two parts:
///
/// 1. The low s bits of each end, one after the other.
/// 2. Bits of which those at (eᵢ >> s) + i are 1, in (320 + (n >> s) + 7) / 8 bytes.
///
/// Bits are counted from the least significant one of the first byte. `code` ends with 8 zeros, so that words can be read.
///
/// P. Elias, Efficient storage and retrieval by content and address of static files, Journal of the ACM 21, 1974.
struct ListEnds: Sendable {
    static let keysPerGroup = 320
    static let padding = 8

    let groups: FrozenArray<UInt32>
    let code: FrozenArray<UInt8>
    /// Whether all of both was verified before.
    fileprivate let isVerified: Bool

    /// The number of groups of an index with `keys` keys.
    static func groupCount(keys: Int) -> Int { (keys + keysPerGroup - 1) / keysPerGroup }

    /// Takes the parts of a file, with any contents: wrong ones give wrong ranges.
    init(groups: FrozenArray<UInt32>, code: FrozenArray<UInt8>) {
        self.groups = groups
        self.code = code
        isVerified = groups.owner?.isVerified ?? true
    }

    /// Codes lists of these lengths, which sum up to less than 2³².
    init(lengths: UnsafeBufferPointer<UInt32>) {
        let count = Self.groupCount(keys: lengths.count)
        var codeLength = 0
        groups = FrozenArray(count: 2 * (count + 1)) { groups in
            var sum: UInt32 = 0
            for group in 0..<count {
                groups[2 * group] = sum
                groups[2 * group + 1] = UInt32(truncatingIfNeeded: codeLength)
                let before = sum
                let keys = group * Self.keysPerGroup..<min((group + 1) * Self.keysPerGroup, lengths.count)
                for key in keys { sum += lengths[key] }
                codeLength += GroupShape(postings: sum - before).length
            }
            groups[2 * count] = sum
            groups[2 * count + 1] = UInt32(truncatingIfNeeded: codeLength)
        }
        isVerified = true
        let groups = groups
        code = FrozenArray(count: codeLength + Self.padding) { code in
            code.initialize(repeating: 0, count: codeLength + Self.padding)
            for group in 0..<count {
                let shape = GroupShape(postings: groups[2 * group + 2] - groups[2 * group])
                guard shape.postings > 0 else { continue }
                let low = UnsafeMutableRawPointer(code) + Int(groups[2 * group + 1])
                let high = low + shape.lowLength
                var end: UInt32 = 0
                for place in 0..<Self.keysPerGroup {
                    let key = group * Self.keysPerGroup + place
                    if key < lengths.count { end += lengths[key] }
                    low.set(UInt64(end) & shape.lowMask, atBit: place * shape.shift)
                    high.set(1, atBit: Int(end >> UInt32(shape.shift)) + place)
                }
            }
        }
    }

    var byteCount: Int { groups.count * 4 + code.count }
    var groupCount: Int { groups.count / 2 - 1 }

    /// Passes a range of postings for each of adjacent rows that has some: those of the keys `places` of the row.
    ///
    /// - Parameters:
    ///   - width: The keys of a row, a divisor of `keysPerGroup`.
    ///   - limit: The number of postings.
    @inline(__always)
    func forEachRun(
        rows: ClosedRange<Int>, width: Int, places: Range<Int>, limit: Int, _ body: (Range<Int>) -> Void
    ) {
        var row = rows.lowerBound
        while row <= rows.upperBound {
            let group = row * width / Self.keysPerGroup
            let firstKey = group * Self.keysPerGroup
            let groupEnd = min(rows.upperBound + 1, (firstKey + Self.keysPerGroup) / width)
            if var reader = GroupReader(group, of: self) {
                while row < groupEnd {
                    reader.skip(row &* width &+ places.lowerBound &- firstKey &- reader.place)
                    let start = reader.end
                    reader.read(places.count)
                    if start < reader.end, reader.end <= limit {
                        body(Range(uncheckedBounds: (start, reader.end)))
                    }
                    row &+= 1
                }
            }
            row = groupEnd
        }
    }

    /// Replaces `ends` by the ends of a group's lists, with the start of the first in front.
    ///
    /// - Returns: False unless each list ends where the next begins and the last one ends with the group.
    func decode(group: Int, into ends: UnsafeMutablePointer<Int>) -> Bool {
        guard groups.isIntact(2 * group..<2 * group + 3) else { return false }
        ends.update(repeating: Int(groups[2 * group]), count: Self.keysPerGroup + 1)
        let last = Int(groups[2 * group + 2])
        guard ends[0] != last else { return true }
        guard var reader = GroupReader(group, of: self) else { return false }
        for place in 1...Self.keysPerGroup {
            reader.read(1)
            guard reader.end >= ends[place - 1] else { return false }
            ends[place] = reader.end
        }
        return ends[Self.keysPerGroup] == last
    }
}

/// The sizes of a group's code.
private struct GroupShape {
    let postings: UInt32
    /// How many low bits of each end are stored as they are.
    let shift: Int

    @inline(__always)
    init(postings: UInt32) {
        self.postings = postings
        shift = max(0, 23 &- postings.leadingZeroBitCount)
    }

    var lowMask: UInt64 { ~(~0 &<< UInt64(shift)) }
    /// Bytes.
    var lowLength: Int { ListEnds.keysPerGroup / 8 &* shift }
    var highLength: Int { (ListEnds.keysPerGroup &+ Int(postings &>> UInt32(shift)) &+ 7) >> 3 }
    var length: Int { postings == 0 ? 0 : lowLength + highLength }
}

/// Reads the ends of a group's lists in order; those of wrong contents may be any numbers.
private struct GroupReader {
    private let first: Int
    private let shape: GroupShape
    private let low: UnsafeRawPointer
    private let high: UnsafeRawPointer
    private let highLength: Int
    /// Where the current word is after `high`, in bytes.
    private var offset = 0
    /// The bits of the word that were not read.
    private var bits: UInt64
    /// The number of ends that were read.
    private(set) var place = 0
    /// The last end that was read, as a posting; at first the group's first posting.
    private(set) var end: Int

    /// Begins a group; nil when it has no postings, or when they are damaged.
    @inline(__always)
    init?(_ group: Int, of lists: ListEnds) {
        let entry = 2 &* group
        guard lists.isVerified || lists.groups.isIntact(entry..<entry + 3) else { return nil }
        let groups = lists.groups.base + entry
        guard groups[0] < groups[2] else { return nil }
        first = Int(groups[0])
        shape = GroupShape(postings: groups[2] &- groups[0])
        let start = Int(groups[1])
        highLength = shape.highLength
        let length = shape.lowLength &+ highLength
        guard start &+ length &+ ListEnds.padding <= lists.code.count,
            lists.isVerified || lists.code.isIntact(start..<start + length)
        else { return nil }
        low = UnsafeRawPointer(lists.code.base + start)
        high = low + shape.lowLength
        bits = high.word(0)
        end = first
    }

    /// Reads as many ends: the fast way for many.
    @inline(__always)
    mutating func skip(_ count: Int) {
        guard count > 0 else { return }
        place &+= count
        var rest = UInt64(truncatingIfNeeded: count &- 1)
        var sums = bits.onesUpToEachByte
        while rest >= sums >> 56 {
            rest &-= sums >> 56
            guard advance() else { return }
            sums = bits.onesUpToEachByte
        }
        let bit = bits.place(ofOne: rest, sums)
        bits &= ~1 &<< bit
        setEnd(bit)
    }

    /// Reads as many ends, at least one: the fast way for few.
    @inline(__always)
    mutating func read(_ count: Int) {
        place &+= count
        var rest = count
        while true {
            while bits == 0 { guard advance() else { return } }
            rest &-= 1
            if rest == 0 { break }
            bits &= bits &- 1
        }
        let bit = UInt64(truncatingIfNeeded: bits.trailingZeroBitCount)
        bits &= bits &- 1
        setEnd(bit)
    }

    /// Goes to the next word; false, with all postings read, when there is none.
    @inline(__always)
    private mutating func advance() -> Bool {
        offset &+= 8
        guard offset < highLength else {
            offset &-= 8
            bits = 0
            end = first &+ Int(shape.postings)
            return false
        }
        bits = high.word(offset)
        return true
    }

    /// Sets the end of the last of `place` lists, whose one is at a bit of the word.
    @inline(__always)
    private mutating func setEnd(_ bit: UInt64) {
        var value = 8 &* offset &+ Int(truncatingIfNeeded: bit) &- (place &- 1)
        if shape.shift > 0 {
            let lowBit = UInt(bitPattern: (place &- 1) &* shape.shift)
            let bits = low.word(Int(bitPattern: lowBit >> 3)) &>> UInt64(lowBit & 7)
            value = value &<< shape.shift | Int(truncatingIfNeeded: bits & shape.lowMask)
        }
        end = first &+ value
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    fileprivate func word(_ byte: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: byte, as: UInt64.self))
    }
}

extension UnsafeMutableRawPointer {
    /// Sets bits that are zero to a number of at most 57 bits.
    fileprivate func set(_ number: UInt64, atBit bit: Int) {
        let old = loadUnaligned(fromByteOffset: bit >> 3, as: UInt64.self)
        storeBytes(of: old | number << UInt64(bit & 7), toByteOffset: bit >> 3, as: UInt64.self)
    }
}

/// Selection in a word without instructions that old processors lack.
///
/// S. Vigna, Broadword implementation of rank/select queries, WEA 2008.
extension UInt64 {
    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// For each byte the number of ones up to its end.
    @inline(__always)
    fileprivate var onesUpToEachByte: UInt64 {
        let pairs = self &- (self >> 1 & 0x5555_5555_5555_5555)
        let nibbles = (pairs & 0x3333_3333_3333_3333) &+ (pairs >> 2 & 0x3333_3333_3333_3333)
        return ((nibbles &+ nibbles >> 4) & 0x0F0F_0F0F_0F0F_0F0F) &* Self.lowBits
    }

    /// The place of the one that has `rank` ones before it.
    ///
    /// - Parameter sums: `onesUpToEachByte`, of which the last is above `rank`.
    @inline(__always)
    fileprivate func place(ofOne rank: UInt64, _ sums: UInt64) -> UInt64 {
        let byte = sums.count(atMost: rank) &* 8
        let inByte = rank &- ((sums << 8) &>> byte & 0xFF)
        let spread = (self &>> byte & 0xFF) &* Self.lowBits & 0x8040_2010_0804_0201
        let ones = ((spread & ~Self.highBits &+ ~Self.highBits) | spread) >> 7 & Self.lowBits
        return byte &+ (ones &* Self.lowBits).count(atMost: inByte)
    }

    /// The number of bytes, each below 128, that are at most `limit`, which is below 128.
    @inline(__always)
    private func count(atMost limit: UInt64) -> UInt64 {
        ((((limit &* Self.lowBits | Self.highBits) &- self) & Self.highBits) >> 7 &* Self.lowBits) >> 56
    }
}
