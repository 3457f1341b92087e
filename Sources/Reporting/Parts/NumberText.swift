import AudioCore
import Evaluation
import Foundation
import Metrics
import SystemIO

/// Numbers for people: rounded to their precision, with a minus sign and a unit; ``missing`` for none.
package enum NumberText {
    static let missing = "–"
    /// A non-breaking space between a number and its unit.
    static let blank = "\u{A0}"

    /// The text of a figure, or ``missing`` without one.
    static func optional<Value>(_ value: Value?, _ text: (Value) -> String) -> String {
        value.map(text) ?? missing
    }

    /// `value` with `digits` digits after the point.
    static func fixed(_ value: Double?, digits: Int) -> String {
        guard let value else { return missing }
        let text = formatNumber(value, digits: digits)
        return text.hasPrefix("-") ? "\u{2212}" + text.dropFirst() : text
    }

    /// `value` with about `digits` significant digits and no exponent.
    static func significant(_ value: Double?, digits: Int = 2) -> String {
        guard let value else { return missing }
        guard value != 0, value.isFinite else { return value == 0 ? "0" : "\(value)" }
        guard abs(value) < 999.5 else {
            return abs(value) < 1e15 ? Int(bounded: value.rounded()).text : "\(value)"
        }
        let magnitude = Int(bounded: floor(log10(abs(value))))
        // Rounding may carry into one more digit: 9.96 reads 10, not 10.0.
        let carries = abs(value) * pow(10, Double(digits - 1 - magnitude)) >= pow(10, Double(digits)) - 0.5
        let text = fixed(value, digits: min(8, max(0, digits - 1 - magnitude - (carries ? 1 : 0))))
        // Rounding errors of 1e-16 are no figure.
        return Double(text) == 0 ? "0" : text
    }

    /// A rate in percent, with digits by the number of trials; 100 or 0 only when it is exactly that.
    static func percent(_ rate: Double, trials: Int) -> String {
        for digits in (trials < 100 ? 0 : 1)...4 {
            let text = fixed(rate * 100, digits: digits)
            guard let shown = Double(text) else { return text }
            if (shown == 100 && rate < 1) || (shown == 0 && rate > 0) { continue }
            return rate == 1 || rate == 0 ? fixed(rate * 100, digits: 0) : text
        }
        return rate < 0.5 ? "<0.0001" : ">99.9999"
    }

    /// The interval of a rate of `trials` as `93.5–95.8 %`.
    static func interval(_ interval: Interval, trials: Int) -> String {
        let ends = [interval.lower, interval.upper].map { percent($0, trials: trials) }
        return "\(ends[0])–\(ends[1])\(blank)%"
    }

    /// A difference of rates in points of a percent, with its sign.
    static func points(_ difference: Double?) -> String {
        guard let difference else { return missing }
        let text = fixed(difference * 100, digits: 1)
        return difference > 0 && Double(text) != 0 ? "+\(text)" : text
    }

    /// The interval of a difference of rates as `−1.2 to +0.4`, in points of a percent.
    static func points(_ interval: Interval?) -> String {
        optional(interval) { "\(points($0.lower)) to \(points($0.upper))" }
    }

    /// The probability of a finding by chance; it never reads 0.
    static func probability(_ value: Double) -> String { value < 0.0001 ? "≤0.0001" : significant(value) }

    /// An estimated rate as `98.4 %`, to a tenth of a percent.
    static func share(_ rate: Double?) -> String {
        optional(rate) { "\(percent($0, trials: 1000))\(blank)%" }
    }

    /// The interval of an estimated rate as `96.3–99.4 %`.
    static func share(_ interval: Interval) -> String {
        "\(percent(interval.lower, trials: 1000))–\(share(interval.upper))"
    }

    /// The rate of false accepts that is not exceeded with one-sided 95 % confidence, in percent.
    static func falseAcceptBound(_ rate: Proportion) -> String? {
        rate.upperBound().map { "\(significant($0 * 100))\(blank)%" }
    }

    /// The range of a rate of false accepts: its interval, or without any the one-sided bound as `< 0.35 %`.
    static func falseAcceptRange(_ rate: Proportion) -> String {
        guard rate.successes == 0, let bound = falseAcceptBound(rate) else { return rate.range }
        return "< \(bound)"
    }

    /// The range of a rate: its interval, or the bound of false accepts.
    static func range(of figure: ScoreFigure, in score: Scorecard) -> String {
        guard let rate = figure.rate(of: score) else { return missing }
        if case .rate(_, .bound) = figure.value { return falseAcceptRange(rate) }
        return optional(figure.interval(of: score)) { interval($0, trials: rate.trials) }
    }

    /// The distinct audio of the negatives, as `3.2 h of 76 recordings`.
    static func evidence(of score: Scorecard) -> String {
        "\(seconds(score.distinctNegativeSeconds)) of \(score.falseAcceptRate.clusters.text) recordings"
    }

    /// The failed trials in a sentence, if there are any.
    static func errors(_ score: Scorecard) -> [String] {
        score.errors == 0
            ? [] : ["\(score.errors.text("trial")) ended with an error: \(fate(ofErrors: score))"]
    }

    /// How figures count the failed trials, in a sentence.
    static func fate(ofErrors score: Scorecard) -> String {
        let negatives = score.outcomes.negativeError
        let positives = score.errors - negatives
        var parts: [String] = []
        if positives > 0 { parts.append("\(positives.text("positive")) counted as missed") }
        if negatives > 0 { parts.append("\(negatives.text("negative")) left out of every rate") }
        let rate = score.falseAcceptRate
        let worst = Double(rate.successes + negatives) / Double(max(1, rate.trials + negatives))
        return parts.joined(separator: ", ")
            + (negatives > 0
                ? ". If each were a false accept, \(share(worst)) of the negatives would be." : ".")
    }

    /// The length that 95 % of errors do not exceed, as `95 % below 30 ms`.
    static func mostBelow(_ errors: ErrorSummary?) -> String {
        "95\(blank)% below \(seconds(errors?.percentile95Absolute))"
    }

    /// A skew error, given as a fraction, in percent.
    static func skew(_ fraction: Double) -> String { "\(significant(fraction * 100))\(blank)%" }

    /// A duration in ms, s, min or h.
    package static func seconds(_ seconds: Double?) -> String {
        guard let seconds else { return missing }
        let magnitude = abs(seconds)
        if magnitude >= 3600 { return "\(significant(seconds / 3600, digits: 3))\(blank)h" }
        if magnitude >= 60 { return "\(significant(seconds / 60, digits: 3))\(blank)min" }
        if magnitude >= 1 { return "\(significant(seconds, digits: 3))\(blank)s" }
        return milliseconds(seconds * 1000)
    }

    /// A time of a recording as `1:02:03.45`, or `2:03.45` below an hour.
    static func clock(_ seconds: Double) -> String {
        let hundredths = Int(bounded: (max(0, seconds) * 100).rounded())
        let (hours, minutes) = (hundredths / 360_000, hundredths / 6000 % 60)
        let rest = String(format: "%05.2f", Double(hundredths % 6000) / 100)
        return hours > 0 ? String(format: "%d:%02d:", hours, minutes) + rest : "\(minutes):\(rest)"
    }

    /// Milliseconds, or seconds from 1,000 on.
    static func milliseconds(_ value: Double?) -> String {
        guard let value else { return missing }
        return abs(value) >= 1000
            ? "\(significant(value / 1000, digits: 3))\(blank)s" : "\(significant(value))\(blank)ms"
    }

    /// Bytes in decimal units.
    package static func bytes(_ value: Double?) -> String {
        guard let value else { return missing }
        let units: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        for (size, unit) in units where value >= size {
            return "\(significant(value / size, digits: 3))\(blank)\(unit)"
        }
        return "\(fixed(value, digits: 0))\(blank)B"
    }

    /// A ratio to real time as `1,230 × real time`.
    static func timesRealTime(_ ratio: Double?) -> String {
        guard let ratio else { return missing }
        let number =
            ratio >= 100 ? Int(bounded: min(ratio, 1e15).rounded()).text : significant(ratio, digits: 3)
        return "\(number)\(blank)×\(blank)real time"
    }

    /// A query length as `5 s` or `0.5 s`.
    static func length(_ seconds: Double) -> String { "\(plain(seconds))\(blank)s" }

    /// A severity and a length; only the length where they are equal.
    static func condition(severity: String, lengthSeconds: Double) -> String {
        let parts = [self.severity(severity), length(lengthSeconds)].filter { !$0.isEmpty }
        return parts.first == parts.last ? parts[0] : parts.joined(separator: ", ")
    }

    /// A number with no needless digits.
    static func plain(_ value: Double) -> String {
        let text = "\(value)"
        let short = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        return short.hasPrefix("-") ? "\u{2212}" + short.dropFirst() : short
    }

    /// A severity as printed in a plan, in words, with true minus signs and no break after a number.
    static func severity(_ text: String) -> String {
        text.replacing(#/([a-z]{2})([A-Z])([a-z])/#) {
            "\($0.output.1) \($0.output.2.lowercased())\($0.output.3)"
        }
        .replacingOccurrences(of: "(?<![^ ])-(?=[0-9])", with: "\u{2212}", options: .regularExpression)
        .replacingOccurrences(of: "(?<=[0-9]) ", with: blank, options: .regularExpression)
    }
}

extension Proportion {
    /// The rate as `94.7 %`.
    var text: String {
        NumberText.optional(rate) { "\(NumberText.percent($0, trials: trials))\(NumberText.blank)%" }
    }

    /// The 95 % Wilson interval as `93.5–95.8 %`.
    var range: String { NumberText.optional(wilsonInterval()) { NumberText.interval($0, trials: trials) } }

    /// The rate and its interval as `94.7 % (93.5–95.8 %)`.
    var textWithRange: String { "\(text) (\(range))" }

    /// `450 of 1,000`.
    var counts: String { "\(successes.text) of \(trials.text)" }
}

extension PairedDifference {
    /// In points of a percent, with its interval, as `−0.4 (−1.2 to +0.4)`.
    var text: String {
        NumberText.points(difference) + (interval().map { " (\(NumberText.points($0)))" } ?? "")
    }
}

extension Int {
    /// With a comma before each group of three digits.
    var text: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "\u{2212}" : "") + text
    }

    /// The number with its noun, as `1 trial` or `2,528 trials`.
    func text(_ one: String, _ several: String? = nil) -> String {
        "\(text) \(self == 1 ? one : several ?? one + "s")"
    }
}
