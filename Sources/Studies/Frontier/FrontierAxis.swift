import Corpora
import Degradations
import Evaluation

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
