enum Bisection {
    /// The place where `isBelow` turns from true to false, to the last bit.
    static func root(between lower: Double, and upper: Double, isBelow: (Double) -> Bool) -> Double {
        var (low, high) = (lower, upper)
        while true {
            let middle = low + (high - low) / 2
            if middle <= low || middle >= high { return middle }
            if isBelow(middle) { low = middle } else { high = middle }
        }
    }
}
