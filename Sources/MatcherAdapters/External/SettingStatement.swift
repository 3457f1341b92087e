import Corpora
import Evaluation
import Foundation
import Matchers
import SystemIO

/// A setting as a program or a file of settings states it.
struct SettingStatement: Codable {
    var name: String
    /// Found out from `choices` and `default` if it is missing.
    var type: Kind?
    var lowest: Double?
    var highest: Double?
    var step: Double?
    var scale: TunableSetting.Scale?
    var choices: [String]?
    var `default`: SettingValue
    var summary: String?

    enum Kind: String, Codable { case number, whole, flag, choice }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, type, lowest, highest, step, scale, choices, `default`, summary
    }

    /// The most settings of a program.
    static let most = 200

    /// The settings of a list.
    ///
    /// - Throws: ``ExternalMatcherError`` for the first mistake, with the setting that has it.
    static func tunables(_ statements: [SettingStatement]) throws -> [TunableSetting] {
        guard statements.count <= most else {
            throw ExternalMatcherError("states \(statements.count) settings; expected at most \(most)")
        }
        var tunables: [TunableSetting] = []
        for statement in statements {
            let tunable = try statement.tunable()
            guard !tunables.contains(where: { $0.name == tunable.name }) else {
                throw ExternalMatcherError("states the setting \(tunable.name) twice")
            }
            tunables.append(tunable)
        }
        return tunables
    }

    private func tunable() throws -> TunableSetting {
        guard (1...60).contains(name.count),
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else {
            throw ExternalMatcherError(
                "states a setting '\(VisibleText.quoted(name))'; expected 1 to 60 letters, digits, `-`, `_` and `.`"
            )
        }
        let summary = VisibleText.quoted(summary ?? "", limit: 300)
        if let choices = choices ?? (isFlag ? TunableSetting.offAndOn : nil) {
            guard type == nil || type == .choice || type == .flag, lowest == nil, highest == nil, step == nil
            else {
                throw refusal("it has choices, and a range or a type of a number")
            }
            guard (2...100).contains(choices.count), Set(choices).count == choices.count else {
                throw refusal("`choices` are \(choices); expected 2 to 100 different words")
            }
            if let odd = choices.first(where: {
                $0.isEmpty || VisibleText.quoted($0) != $0 || Double($0) != nil
            }) {
                throw refusal("the choice '\(VisibleText.quoted(odd))' is no word")
            }
            guard let standard = choices.firstIndex(of: `default`.text) else {
                throw refusal(
                    "`default` is '\(VisibleText.quoted(`default`.text))'; expected one of \(choices)")
            }
            return TunableSetting(name: name, choices: choices, standard: standard, summary: summary)
        }
        return try number(summary)
    }

    private var isFlag: Bool {
        if case .flag = `default` { return type == nil || type == .flag }
        return type == .flag
    }

    private func number(_ summary: String) throws -> TunableSetting {
        guard type != .choice else { throw refusal("`choices` is missing") }
        guard let lowest, let highest, lowest.isFinite, highest.isFinite, lowest < highest else {
            let range = [lowest, highest].map { $0.map { "\($0)" } ?? "nothing" }.joined(separator: " to ")
            throw refusal("its range is \(range); expected `lowest` below `highest`")
        }
        guard scale != .logarithmic || lowest > 0 else {
            throw refusal("its range begins at \(lowest); expected a number above 0 on a logarithmic scale")
        }
        if let step, !(step > 0 && step <= highest - lowest) {
            throw refusal("`step` is \(step); expected a number above 0 that fits into the range")
        }
        let isWhole = type == .whole
        guard
            !isWhole
                || (lowest == lowest.rounded() && highest == highest.rounded()
                    && step.map { $0 == $0.rounded() } != false)
        else { throw refusal("it is whole, but its range or its step is not") }
        var setting = TunableSetting(
            name: name, in: lowest...highest, scale: scale ?? .linear, isWhole: isWhole, standard: lowest,
            summary: summary)
        setting.step = step == 1 && isWhole ? nil : step
        do {
            setting.standard = try setting.value(of: `default`.text)
        } catch {
            throw refusal("its default does not fit: \(error)")
        }
        return setting
    }

    private func refusal(_ reason: String) -> ExternalMatcherError {
        ExternalMatcherError("states the setting \(name) wrongly: \(reason)")
    }
}

/// The settings of a program that takes them on its command line, from a YAML file with the list `settings`.
package enum SettingFile {
    /// - Throws: `ConfigurationError` with the line of the mistake and what was expected there.
    package static func tunables(path: String) throws -> [TunableSetting] {
        let file = try YAMLReader(path: path).mapping()
        let items = try file.list("settings")
        try file.rejectUnknownKeys()
        if items.isEmpty { throw file.error("`settings` is empty") }
        var statements: [SettingStatement] = []
        for item in items {
            let mapping = try item.mapping()
            let known = Set(SettingStatement.CodingKeys.allCases.map(\.rawValue))
            if let odd = mapping.keys.first(where: { !known.contains($0) }) {
                throw item.error("no setting has a key `\(odd)`\(known.suggestion(for: odd))")
            }
            do {
                let json = try JSONEncoder().encode(item.plainValue)
                statements.append(try AdapterReply.read(Array(json), as: SettingStatement.self))
                _ = try SettingStatement.tunables(statements)
            } catch let error as ExternalMatcherError {
                throw item.error("\(error)")
            }
        }
        return try SettingStatement.tunables(statements)
    }
}

/// A value in JSON: a number, a word, or true or false.
enum SettingValue: Codable {
    case flag(Bool)
    case whole(Int)
    case number(Double)
    case word(String)

    /// The value that a program gets for a setting.
    init(_ value: Double, of setting: TunableSetting) {
        let text = setting.text(of: value)
        if setting.choices == TunableSetting.offAndOn {
            self = .flag(text == "true")
        } else if setting.choices != nil {
            self = .word(text)
        } else {
            self = Int(exactly: value).map(Self.whole) ?? .number(value)
        }
    }

    var text: String {
        switch self {
        case .flag(let flag): flag ? "true" : "false"
        case .whole(let whole): String(whole)
        case .number(let number): String(number)
        case .word(let word): word
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let whole = try? container.decode(Int.self) {
            self = .whole(whole)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .word(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .whole(let whole): try container.encode(whole)
        case .number(let number): try container.encode(number)
        case .word(let word): try container.encode(word)
        }
    }
}
