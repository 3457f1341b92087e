import Degradations
import Foundation
import TestSupport
import Testing

/// The table of degradations in the article on plans is made of what each degradation states of itself.
@Suite struct DegradationTableTests {
    /// `EARSHOT_RECORD=1` writes the table.
    ///
    /// The test then fails, so that no one records by accident.
    @Test func theArticleOnPlansHasTheTable() throws {
        let path = PackageFolder.path + "/Sources/Evaluation/Evaluation.docc/Plans.md"
        let article = try String(contentsOfFile: path, encoding: .utf8)
        let head = "| name | effect | parameters |\n|---|---|---|\n"
        let start = try #require(article.range(of: head)).upperBound
        let end = try #require(article.range(of: "\n\n", range: start..<article.endIndex)).lowerBound
        let table = try AnyDegradation.kinds.map(Self.row).joined(separator: "\n")
        guard article[start..<end] != table else { return }
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            try article.replacingCharacters(in: start..<end, with: table)
                .write(toFile: path, atomically: true, encoding: .utf8)
        }
        Issue.record("the table differs; set EARSHOT_RECORD=1 to write it, look at it and run again")
    }

    @Test(arguments: AnyDegradation.kinds.map { $0.name })
    func everyNumberStatesHowItGetsMilder(name: String) throws {
        let parameters = try AnyDegradation.kind(named: name).parameters
        for parameter in parameters {
            #expect((parameter.milder != nil) == parameter.isDrawable, "\(parameter.name)")
        }
        #expect(parameters.count { $0 == .snrDecibels } <= 1)
        #expect(Set(parameters.map(\.name)).count == parameters.count)
    }

    private static func row(of kind: any Degradation.Type) throws -> String {
        let parameters = kind.parameters.filter { $0 != .seed }.map(text)
        let end = parameters.isEmpty ? " |" : " \(parameters.joined(separator: "; ")) |"
        return "| `\(kind.name)` | \(try abstract(of: kind)) |\(end)"
    }

    /// Name, range and default; in brackets what may be left out.
    private static func text(of parameter: Parameter) -> String {
        var text = "`\(parameter.name)`"
        switch parameter.kind {
        case .number(let range, _): text += " \(number(range.lowerBound))…\(number(range.upperBound))"
        case .integer(let range, _):
            text += " \(number(Double(range.lowerBound)))…\(number(Double(range.upperBound)))"
        case .choice(let words):
            text += ": " + words.dropLast().map { "`\($0)`" }.joined(separator: ", ")
            text += " or `\(words.last ?? "")`"
        case .text, .file, .flag, .seed: break
        }
        if !parameter.unit.isEmpty { text += " \(parameter.unit)" }
        switch parameter.absence {
        case .required: return text
        case .optional: return "[\(text)]"
        case .value(let value):
            switch value {
            case .string(let word): text += ", by default `\(word)`"
            case .bool(let flag): text += ", by default \(flag)"
            default: if let value = value.asNumber { text += ", by default \(number(value))" }
            }
            return "[\(text)]"
        }
    }

    private static func number(_ value: Double) -> String {
        let style = FloatingPointFormatStyle<Double>(locale: Locale(identifier: "en_US"))
        return value.formatted(style.precision(.fractionLength(0...6))).replacing("-", with: "−")
    }

    /// The first line of its documentation, without the full stop.
    private static func abstract(of kind: any Degradation.Type) throws -> String {
        let head = "package struct \(kind): "
        let folder = PackageFolder.path + "/Sources/Degradations/"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
            $0.hasSuffix("/\(kind).swift")
        }
        let lines = try String(contentsOfFile: folder + #require(files.first), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let declaration = try #require(lines.firstIndex { $0.hasPrefix(head) })
        let comment = lines[..<declaration].reversed().prefix { $0.hasPrefix("///") }
        let line = try #require(comment.last).dropFirst(4)
        #expect(line.last == ".", "the documentation of \(kind) begins with a sentence that fills one line")
        return String(line.dropLast())
    }
}
