import AudioCore
import Foundation

/// A setting of a matcher that a user or a search may change, with its valid values.
///
/// Its values are numbers. That of a choice is its place in ``choices``, from 0.
public struct TunableSetting: Codable, Hashable, Sendable {
    /// The scale of steps.
    public enum Scale: String, Codable, Sendable {
        /// Equal differences have equal effect.
        case linear
        /// Equal ratios have equal effect; the range is above 0.
        case logarithmic
    }

    /// The name, unique in its matcher, for example `lookup.quickRank`.
    public var name: String
    /// The least value.
    public var lowest: Double
    /// The greatest value.
    public var highest: Double
    /// How steps are measured.
    public var scale: Scale
    /// Whether only whole numbers are valid.
    public var isWhole: Bool
    /// The distance of valid values from the least one; nil for all, or for what ``isWhole`` says.
    public var step: Double?
    /// The words to choose from; nil for a number.
    public var choices: [String]?
    /// The value unless another is chosen.
    public var standard: Double
    /// The effect in one sentence, with the unit.
    public var summary: String
    /// Nil for false, so that a setting has the same JSON as before there were thresholds.
    private var threshold: Bool?

    /// Whether it only decides which answers are accepted, so that no search by scores can choose it.
    public var isThreshold: Bool { threshold ?? false }

    /// Makes a setting.
    public init(
        name: String, in range: ClosedRange<Double>, scale: Scale = .linear, isWhole: Bool = false,
        standard: Double, isThreshold: Bool = false, summary: String
    ) {
        self.name = name
        lowest = range.lowerBound
        highest = range.upperBound
        self.scale = scale
        self.isWhole = isWhole
        self.standard = standard
        self.summary = summary
        threshold = isThreshold ? true : nil
    }

    /// Makes a setting with words to choose from, in an order that a search may follow.
    ///
    /// - Parameter standard: The place of the usual word.
    public init(name: String, choices: [String], standard: Int, summary: String) {
        self.init(
            name: name, in: 0...Double(max(0, choices.count - 1)), isWhole: true, standard: Double(standard),
            summary: summary)
        self.choices = choices
    }

    /// The words of a setting that is on or off.
    public static let offAndOn = ["false", "true"]

    /// The valid value at `position` of the range, by its scale.
    ///
    /// - Parameter position: 0 is the least value, 1 the greatest. Each choice has an equal part.
    public func value(at position: Double) -> Double {
        if let choices {
            return min(max((position * Double(choices.count)).rounded(.down), lowest), highest)
        }
        let value =
            switch scale {
            case .linear: lowest + position * (highest - lowest)
            case .logarithmic: lowest * pow(highest / lowest, position)
            }
        return min(max(nearest(to: value), lowest), highest)
    }

    /// The position of `value` in the range by its scale, 0…1.
    public func position(of value: Double) -> Double {
        if let choices { return (value + 0.5) / Double(choices.count) }
        guard highest > lowest else { return 0 }
        return switch scale {
        case .linear: (value - lowest) / (highest - lowest)
        case .logarithmic: log(value / lowest) / log(highest / lowest)
        }
    }

    /// The number of valid values; nil where any number of the range is one.
    public var valueCount: Int? {
        guard let step = step ?? (isWhole ? 1 : nil) else { return nil }
        return Int(bounded: ((highest - lowest) / step + 1e-9).rounded(.down)) + 1
    }

    /// A value as `--set` takes it, and as a program gets it on its command line.
    public func text(of value: Double) -> String {
        if let choices {
            let place = Int(exactly: value) ?? -1
            return choices.indices.contains(place) ? choices[place] : "\(value)"
        }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
    }

    /// The value of a word or of a number as text.
    ///
    /// - Throws: ``SettingError`` for an invalid one.
    public func value(of text: String) throws -> Double {
        if let choices {
            guard let place = choices.firstIndex(of: text) else { throw refusal(of: "\"\(text)\"") }
            return Double(place)
        }
        guard let value = Double(text) else { throw refusal(of: "\"\(text)\"") }
        try check(value)
        return value
    }

    private func nearest(to value: Double) -> Double {
        guard let step else { return isWhole ? value.rounded() : value }
        let steps = ((value - lowest) / step).rounded()
        // 3 steps of 0.1 are 0.3.
        return min(((lowest + steps * step) * 1e12).rounded() / 1e12, highest)
    }

    func check(_ value: Double) throws {
        guard value >= lowest, value <= highest, abs(nearest(to: value) - value) <= 1e-9 * max(1, abs(value))
        else {
            throw refusal(of: "\(value)")
        }
    }

    private func refusal(of value: String) -> SettingError {
        if let choices {
            return SettingError("\(name) cannot be \(value); expected \(choices.joined(separator: ", "))")
        }
        let steps = step.map { " in steps of \($0)" } ?? ""
        return SettingError(
            "\(name) cannot be \(value); expected a \(isWhole ? "whole " : "")number in \(lowest)...\(highest)\(steps)"
        )
    }
}

/// An unknown setting of a matcher, or an invalid value.
public struct SettingError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what was expected.
    public let description: String

    init(_ description: String) { self.description = description }
}
