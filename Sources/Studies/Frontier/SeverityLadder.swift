import Degradations
import Foundation
import SystemIO

/// The severities along one axis, from the mildest to the worst, in fine steps.
package struct SeverityLadder: Hashable, Sendable {
    package struct Rung: Hashable, Sendable {
        /// The value of `$severity` in the chain.
        package let value: PlainValue
        package let label: String

        package var number: Double? { value.asNumber }
    }

    package enum Scale: String, Sendable, CaseIterable {
        case linear
        case logarithmic
    }

    /// The severities, mildest first; at least two, no two alike.
    package let rungs: [Rung]
    package let scale: Scale

    /// More rungs would only resolve chance.
    package static let mostRungs = 2000

    /// Makes evenly spaced rungs from one number to another, both included.
    ///
    /// - Parameters:
    ///   - resolution: The largest distance between neighbours, in the unit of the severity. On a logarithmic scale
    ///     it is a share of the milder one, at least 0.002.
    /// - Returns: Nil unless the ends differ, are finite and need at most ``mostRungs``. On a logarithmic scale both
    ///   need one sign.
    package init?(from mildest: Double, to worst: Double, resolution: Double, scale: Scale, unit: String) {
        guard mildest.isFinite, worst.isFinite, mildest != worst, resolution > 0 else { return nil }
        let steps: Double
        switch scale {
        case .linear: steps = (abs(worst - mildest) / resolution - 1e-9).rounded(.up)
        case .logarithmic:
            guard worst / mildest > 0, (worst / mildest).isFinite, resolution >= 0.002 else { return nil }
            steps = (abs(log(worst / mildest)) / log1p(resolution) - 1e-9).rounded(.up)
        }
        guard steps >= 1, steps < Double(Self.mostRungs) else { return nil }
        let values = (0...Int(steps)).map { number -> Double in
            let share = Double(number) / steps
            return switch scale {
            case .linear: ((mildest + (worst - mildest) * share) * 1e6).rounded() / 1e6
            case .logarithmic: Self.rounded(mildest * pow(worst / mildest, share))
            }
        }
        guard Set(values).count == values.count else { return nil }
        let isSigned = values.contains { $0 < 0 }
        rungs = values.map { value in
            let sign = isSigned && value > 0 ? "+" : ""
            return Rung(
                value: .number(value), label: sign + formatNumber(value) + (unit.isEmpty ? "" : " \(unit)"))
        }
        self.scale = scale
    }

    /// Takes the severities of a list, mildest first; nil with fewer than two, or with duplicates.
    package init?(_ values: [PlainValue], unit: String) {
        rungs = values.map { value in
            let text =
                if case .string(let word) = value { word } else { value.asNumber.map(formatNumber) ?? "" }
            return Rung(value: value, label: text + (unit.isEmpty ? "" : " \(unit)"))
        }
        guard rungs.count >= 2, rungs.allSatisfy({ !$0.label.isEmpty }), Set(rungs).count == rungs.count
        else { return nil }
        scale = .linear
    }

    /// Four significant digits, so that severities on a logarithmic scale can be read.
    private static func rounded(_ value: Double) -> Double {
        let unit = pow(10, (log10(abs(value))).rounded(.down) - 3)
        return unit >= 1 ? (value / unit).rounded() * unit : (value / unit).rounded() / (1 / unit).rounded()
    }
}
