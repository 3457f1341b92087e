import Foundation

/// A numeric setting of a matcher that a user or a search may change, with its valid values.
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

    /// The value at `position` of the range, by its scale, rounded if only whole numbers are valid.
    ///
    /// - Parameter position: 0 is the least value, 1 the greatest.
    public func value(at position: Double) -> Double {
        let value =
            switch scale {
            case .linear: lowest + position * (highest - lowest)
            case .logarithmic: lowest * pow(highest / lowest, position)
            }
        return min(max(isWhole ? value.rounded() : value, lowest), highest)
    }

    /// The position of `value` in the range by its scale, 0…1.
    public func position(of value: Double) -> Double {
        guard highest > lowest else { return 0 }
        return switch scale {
        case .linear: (value - lowest) / (highest - lowest)
        case .logarithmic: log(value / lowest) / log(highest / lowest)
        }
    }

    func check(_ value: Double) throws {
        guard value >= lowest, value <= highest, !isWhole || value == value.rounded() else {
            throw SettingError(
                "\(name) cannot be \(value); expected a \(isWhole ? "whole " : "")number in \(lowest)...\(highest)"
            )
        }
    }
}

/// An unknown setting of a matcher, or an invalid value.
public struct SettingError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what was expected.
    public let description: String

    init(_ description: String) { self.description = description }
}
