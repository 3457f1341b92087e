import Foundation

/// A number among a matcher's settings that may be chosen anew: its name and which values make sense.
public struct TunableSetting: Codable, Hashable, Sendable {
    /// How steps are measured.
    public enum Scale: String, Codable, Sendable {
        /// Equal differences matter equally.
        case linear
        /// Equal ratios matter equally; the range lies above 0.
        case logarithmic
    }

    /// What it is called, unique in its matcher, for example `lookup.quickRank`.
    public var name: String
    /// The least value.
    public var lowest: Double
    /// The greatest value.
    public var highest: Double
    /// How steps are measured.
    public var scale: Scale
    /// Whether only whole numbers make sense.
    public var isWhole: Bool
    /// The value it has when nobody chooses.
    public var standard: Double
    /// What it does, in one sentence, with its unit.
    public var summary: String

    /// Describes a setting.
    public init(
        name: String, in range: ClosedRange<Double>, scale: Scale = .linear, isWhole: Bool = false,
        standard: Double, summary: String
    ) {
        self.name = name
        lowest = range.lowerBound
        highest = range.upperBound
        self.scale = scale
        self.isWhole = isWhole
        self.standard = standard
        self.summary = summary
    }

    /// The value at `position` of the range, by its scale, rounded where only whole numbers make sense.
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

    /// Where `value` lies in the range by its scale, 0…1.
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

/// A setting that a matcher does not have, or that cannot have a value.
public struct SettingError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what was expected.
    public let description: String

    init(_ description: String) { self.description = description }
}
