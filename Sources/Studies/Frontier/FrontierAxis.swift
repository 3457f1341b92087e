import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO

/// An axis along which queries get worse step by step.
package struct FrontierAxis: Sendable {
    package let name: String
    /// The unit of its severities; empty where they are words.
    package let unit: String
    package let ladder: SeverityLadder
    let members: [PlanFile.Member]
    let line: Int

    /// The part of trial names: lower case, no blanks, safe in a shell.
    package var slug: String {
        Cell(degradation: name, severity: "", severityValue: nil, lengthSeconds: 0).slug
            .replacing("/0s", with: "")
    }

    init(_ axis: YAMLMapping, lengthSeconds: Double) throws {
        name = try axis.string("name")
        unit = try axis.string("unit", default: "")
        line = axis.line
        let severity = try axis.required("severity")
        let ladder = try Self.ladder(severity, unit: unit)
        self.ladder = ladder
        let steps = try axis.list("chain")
        let length = axis["lengthSeconds"]
        let lengthVaries = length?.plainValue == .string(Self.variable)
        guard lengthVaries || steps.contains(where: { $0.plainValue.mentions(Self.variable) }) else {
            throw axis.error(
                "axis \(name): neither `chain` nor `lengthSeconds` contains \(Self.variable); "
                    + "nothing would change along it")
        }
        let fixed = lengthVaries ? lengthSeconds : try axis.length("lengthSeconds", default: lengthSeconds)
        let (name, lengthPlace) = (self.name, length ?? severity)
        members = try ladder.rungs.map { rung in
            let seconds = lengthVaries ? rung.number : fixed
            guard let seconds, (0.05...3600).contains(seconds) else {
                throw lengthPlace.error("a query length of \(rung.label); expected 0.05…3600 s")
            }
            return PlanFile.Member(
                cell: Cell(
                    degradation: name, severity: rung.label, severityValue: rung.number,
                    lengthSeconds: seconds),
                chain: try steps.map {
                    try PlanFile.FamilyReader.template($0, variables: ["severity": rung.value])
                })
        }
        try axis.rejectUnknownKeys()
    }

    private static let variable = "$severity"

    /// `{from: mild, to: severe, resolution: r, scale: linear}`, or a list.
    private static func ladder(_ severity: YAMLValue, unit: String) throws -> SeverityLadder {
        guard severity.isMapping else {
            let values = try severity.list().map(\.plainValue)
            guard values.count <= SeverityLadder.mostRungs, let ladder = SeverityLadder(values, unit: unit)
            else {
                throw severity.error(
                    "`severity`: expected 2…\(SeverityLadder.mostRungs) different numbers or words, the mildest first"
                )
            }
            return ladder
        }
        let range = try severity.mapping()
        let word = try range.string("scale", default: SeverityLadder.Scale.linear.rawValue)
        guard let scale = SeverityLadder.Scale(rawValue: word) else {
            throw range.error("`scale`: expected linear or logarithmic, found \"\(word)\"")
        }
        let (from, to) = (try range.double("from"), try range.double("to"))
        let resolution = try range.double("resolution")
        try range.rejectUnknownKeys()
        guard
            let ladder = SeverityLadder(
                from: from, to: to, resolution: resolution, scale: scale, unit: unit)
        else {
            throw severity.error(
                "`severity`: from \(from) to \(to) by \(resolution) gives no ladder; expected two different ends, "
                    + "of one sign on a logarithmic scale, and a resolution above 0 "
                    + "(0.002 and more on a logarithmic scale) that makes at most \(SeverityLadder.mostRungs) steps"
            )
        }
        return ladder
    }
}

extension PlainValue {
    fileprivate func mentions(_ word: String) -> Bool {
        switch self {
        case .string(let text): text == word
        case .array(let items): items.contains { $0.mentions(word) }
        case .object(let values): values.values.contains { $0.mentions(word) }
        default: false
        }
    }
}

/// The severities along one axis, from the mildest to the worst, in fine steps.
package struct SeverityLadder: Hashable, Sendable {
    package struct Rung: Hashable, Sendable {
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
