// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics

/// An interval and a value in it, drawn as a bar.
enum RangeBar {
    /// The style of the bar; empty without interval or value.
    ///
    /// - Parameter place: the place of a value in percent of the bar.
    static func style(_ interval: Interval?, _ value: Double?, _ place: (Double) -> Double) -> String {
        guard let interval, let value else { return "" }
        return zip(["lower", "upper", "rate"], [interval.lower, interval.upper, value])
            .map { "--\($0):\(NumberText.fixed(place($1), digits: 2))%" }.joined(separator: ";")
    }
}
