extension FixedWidthInteger {
    /// The whole part of a number of which nothing is known: 0 for NaN, and at most 2^53 or the type's own bounds.
    ///
    /// `Int(_:)` ends the process for NaN and for numbers beyond the type. This never does. The bound leaves room for sums
    /// with other numbers of frames, bytes or seconds.
    @inlinable package init(bounded value: some BinaryFloatingPoint) {
        let (value, most) = (Double(value), 0x1p53)
        // Comparisons with NaN are false.
        let whole: Int64 =
            value >= most ? 1 << 53 : value > -most ? Int64(value) : value <= -most ? -1 << 53 : 0
        self.init(clamping: whole)
    }
}
