/// A spectrogram that is read between its cells, for loops.
///
/// A height is the level between four cells less the mean around it, over 48 bins and some rows. Sixteen heights are
/// computed at once, each by the same operations as one alone.
struct SpectralGrid {
    static let groupBins = 16
    /// Half the width of the mean, in groups of bins.
    private static let halfWidth: Float = 1.5

    private let levels: UnsafeRawPointer
    private let sums: UnsafeRawPointer
    private let bins: Int
    private let groups: Int
    private let latest: Float

    /// Takes rows of `bins` levels, and for each row the sums over all groups below a group.
    ///
    /// - Parameter latest: The latest time that is read, in rows. There must be a row after it.
    @inline(__always)
    init?(_ levels: UnsafeRawBufferPointer, _ sums: UnsafeRawBufferPointer, bins: Int, latest: Float) {
        guard let levels = levels.baseAddress, let sums = sums.baseAddress, latest >= 0 else { return nil }
        self.levels = levels
        self.sums = sums
        self.bins = bins
        groups = bins / Self.groupBins
        self.latest = latest
    }

    /// Whether a frequency is within the spectrogram.
    @inline(__always)
    func contains(_ bin: Float) -> Bool { bin >= 1 && bin < Float(bins - 2) }

    @inline(__always)
    func contains(_ bins: SIMD16<Float>) -> SIMDMask<SIMD16<Int32>> {
        (bins .>= 1) .& (bins .< Float(self.bins - 2))
    }

    /// The height at a time in rows and a frequency in bins; places outside are moved to the edge.
    @inline(__always)
    func height(_ time: Float, _ bin: Float) -> Float {
        heights(rows(SIMD4(repeating: time)), columns(SIMD4(repeating: bin)))[0]
    }

    @inline(__always)
    func heights(_ times: SIMD16<Float>, _ bin: Float) -> SIMD16<Float> {
        let columns = columns(SIMD4(repeating: bin))
        return times.mapQuarters { heights(rows($0), columns) }
    }

    @inline(__always)
    func heights(_ time: Float, _ bins: SIMD16<Float>) -> SIMD16<Float> {
        let rows = rows(SIMD4(repeating: time))
        return bins.mapQuarters { heights(rows, columns($0)) }
    }

    private struct Rows {
        let index: SIMD4<Int32>
        /// The way to the next row.
        let down: SIMD4<Float>
    }

    /// Frequencies between two cells of every row, and the groups of bins around them.
    private struct Columns {
        let left: SIMD4<Int32>
        let right: SIMD4<Float>
        let low: Places
        let high: Places
        let width: SIMD4<Float>

        /// Places within groups.
        struct Places {
            let group: SIMD4<Int32>
            let part: SIMD4<Float>

            @inline(__always)
            init(_ places: SIMD4<Float>, groups: Int) {
                let whole = places.floor.limited(to: 0...Float(groups - 1))
                group = whole.index
                part = places - whole
            }
        }
    }

    @inline(__always)
    private func rows(_ times: SIMD4<Float>) -> Rows {
        let times = times.limited(to: 0...latest)
        let whole = times.floor
        return Rows(index: whole.index, down: times - whole)
    }

    @inline(__always)
    private func columns(_ bins: SIMD4<Float>) -> Columns {
        let bins = bins.limited(to: 0...Float(self.bins - 2))
        let whole = bins.floor
        let edges: ClosedRange<Float> = 0...Float(groups)
        let centre = bins / Float(Self.groupBins)
        let lowest = (centre - Self.halfWidth).limited(to: edges)
        let highest = (centre + Self.halfWidth).limited(to: edges)
        return Columns(
            left: whole.index, right: bins - whole, low: .init(lowest, groups: groups),
            high: .init(highest, groups: groups), width: highest - lowest)
    }

    @inline(__always)
    private func heights(_ rows: Rows, _ columns: Columns) -> SIMD4<Float> {
        let rowBytes = 4 &* bins
        // Two neighbours in each element.
        var (near, far) = (SIMD4<UInt64>.zero, SIMD4<UInt64>.zero)
        var (low, high) = (near, near)
        for lane in 0..<4 {
            let row = Int(rows.index[lane])
            let cell = levels + (row &* rowBytes &+ 4 &* Int(columns.left[lane]))
            let start = sums + 4 &* row &* (groups &+ 1)
            near[lane] = cell.loadUnaligned(as: UInt64.self)
            far[lane] = (cell + rowBytes).loadUnaligned(as: UInt64.self)
            low[lane] = (start + 4 &* Int(columns.low.group[lane])).loadUnaligned(as: UInt64.self)
            high[lane] = (start + 4 &* Int(columns.high.group[lane])).loadUnaligned(as: UInt64.self)
        }
        let before = Self.between(near, columns.right)
        let after = Self.between(far, columns.right)
        let mean =
            (Self.between(high, columns.high.part) - Self.between(low, columns.low.part)) / columns.width
        return before + (after - before) * rows.down - mean
    }

    /// Interpolates between two neighbours.
    @inline(__always)
    private static func between(_ neighbours: SIMD4<UInt64>, _ part: SIMD4<Float>) -> SIMD4<Float> {
        let both = unsafeBitCast(neighbours, to: SIMD8<Float>.self)
        return both.evenHalf + (both.oddHalf - both.evenHalf) * part
    }
}

extension SIMD4<Float> {
    /// The whole part of numbers from 0 to 2^22.
    @inline(__always)
    fileprivate var floor: Self {
        // Numbers near 2^23 have no fraction.
        let nearest = (self + 0x1p23) - 0x1p23
        return nearest.replacing(with: nearest - 1, where: nearest .> self)
    }

    /// Whole numbers from 0 to 2^22 as integers: the lowest bits of a number near 2^23.
    @inline(__always)
    fileprivate var index: SIMD4<Int32> {
        unsafeBitCast(self + 0x1p23, to: SIMD4<Int32>.self) & 0x7F_FFFF
    }

    /// Moves numbers into a range; what is not a number becomes the lower bound.
    @inline(__always)
    fileprivate func limited(to range: ClosedRange<Float>) -> Self {
        let raised = Self(repeating: range.lowerBound).replacing(with: self, where: self .> range.lowerBound)
        return raised.replacing(with: range.upperBound, where: raised .> range.upperBound)
    }
}

extension SIMD16<Float> {
    @inline(__always)
    fileprivate func mapQuarters(_ body: (SIMD4<Float>) -> SIMD4<Float>) -> Self {
        Self(
            lowHalf: SIMD8(lowHalf: body(lowHalf.lowHalf), highHalf: body(lowHalf.highHalf)),
            highHalf: SIMD8(lowHalf: body(highHalf.lowHalf), highHalf: body(highHalf.highHalf)))
    }
}
