/// The mean level around a cell of the spectrogram: over about ±48 bins and ±1 s.
///
/// Sums of 16 neighbouring bins are whole numbers of 1/1024. So running sums are exact, and the envelope of a passage
/// does not depend on earlier audio.
struct Envelope: Sendable {
    private let groups: Int
    private static let unit: Float = 1024
    private static let groupReach = 3
    private let reach: Int
    private var ring: [Int32]
    private var totals: [Int32]
    private var sums: [Int32]
    private var products: [Float]
    private let firstGroup: Int
    private let lastGroup: Int
    private var rowCount = 0
    private var rowsInTotals = 0

    /// Averages rows of `bins` over `reach` frames on either side, from `lowBin` through `highBin`.
    init(reach: Int, bins: Int, lowBin: Int, highBin: Int) {
        self.reach = reach
        groups = bins / 16
        totals = [Int32](repeating: 0, count: groups)
        sums = totals
        products = [Float](repeating: 1, count: (groups + 7) / 8 * 8)
        firstGroup = lowBin / 16
        lastGroup = max(lowBin / 16, highBin / 16)
        ring = [Int32](repeating: 0, count: (2 * reach + 1) * groups)
    }

    /// Takes the next row of powers; the centre becomes the frame `reach` before it.
    mutating func append(row: UnsafePointer<Float>) {
        sumLogarithms(of: row)
        let slot = rowCount % (2 * reach + 1) * groups
        ring.withUnsafeMutableBufferPointer { ring in
            totals.withUnsafeMutableBufferPointer { totals in
                sums.withUnsafeBufferPointer { sums in
                    for group in 0..<groups {
                        totals[group] &+= sums[group] &- ring[slot &+ group]
                        ring[slot &+ group] = sums[group]
                    }
                }
            }
        }
        rowCount += 1
        rowsInTotals = min(rowCount, 2 * reach + 1)
    }

    /// The sum of log2 over each group of 16 bins: the exponents, and one logarithm of the product of the mantissas.
    ///
    /// The product of 16 mantissas is below 2^16.
    private mutating func sumLogarithms(of row: UnsafePointer<Float>) {
        let raw = UnsafeRawPointer(row)
        sums.withUnsafeMutableBufferPointer { sums in
            products.withUnsafeMutableBufferPointer { products in
                for group in 0..<groups {
                    let low = raw.loadUnaligned(fromByteOffset: group * 64, as: SIMD8<UInt32>.self)
                    let high = raw.loadUnaligned(fromByteOffset: group * 64 + 32, as: SIMD8<UInt32>.self)
                    let exponents = SIMD8<Int32>(truncatingIfNeeded: (low &>> 23) &+ (high &>> 23))
                    sums[group] = (exponents.wrappedSum() &- 16 * 127) &* Int32(Self.unit)
                    let eight = Self.mantissas(low) * Self.mantissas(high)
                    let four = eight.lowHalf * eight.highHalf
                    let two = four.lowHalf * four.highHalf
                    products[group] = two[0] * two[1]
                }
                guard let base = products.baseAddress else { return }
                BinaryLogarithm.apply(base, count: products.count, floor: 0)
                for group in 0..<groups { sums[group] &+= Int32(products[group] * Self.unit) }
            }
        }
    }

    /// The mantissas of positive floats, 1 ≤ m < 2.
    @inline(__always)
    private static func mantissas(_ bits: SIMD8<UInt32>) -> SIMD8<Float> {
        unsafeBitCast((bits & 0x007F_FFFF) | 0x3F80_0000, to: SIMD8<Float>.self)
    }

    /// Removes the oldest row after the end of the rows: the centre moves on by one frame.
    mutating func shrink() {
        let oldest = rowCount % (2 * reach + 1) * groups
        // Before the ring is full, the slot after the newest row is still all zeros.
        if rowCount > 2 * reach { rowsInTotals -= 1 }
        for group in 0..<groups {
            totals[group] &-= ring[oldest + group]
            ring[oldest + group] = 0
        }
        rowCount += 1
    }

    /// The mean log2 power around `bin` in the centre frame.
    func level(aroundBin bin: Int) -> Float {
        let group = min(max(bin / 16, firstGroup), lastGroup)
        let near = max(firstGroup, group - Self.groupReach)...min(lastGroup, group + Self.groupReach)
        var sum: Int32 = 0
        for group in near { sum &+= totals[group] }
        return Float(sum) / (Self.unit * 16 * Float(near.count * max(rowsInTotals, 1)))
    }
}
