import Corpora
import Evaluation

/// A plan of axes from a YAML file; `Plans.md` describes each key.
package struct FrontierFile: PlanDocument {
    package private(set) var head: PlanHead
    package private(set) var queries: Int
    /// The length of a query in seconds, unless an axis states another.
    package let lengthSeconds: Double
    /// The rungs of each axis that are tried before the bisection.
    package let coarse: Int
    package private(set) var axes: [FrontierAxis]

    package static let coarseCounts = 2...100
    package static let queryCounts = 1...10_000

    package init(_ reader: YAMLReader) throws {
        let plan = try reader.mapping()
        guard plan["axes"] != nil else {
            throw plan.error("the key `axes` is missing; expected a plan of axes")
        }
        head = try PlanHead(plan, of: reader)
        queries = try plan.count("queries", in: Self.queryCounts)
        let lengthSeconds = try plan.length("lengthSeconds", default: 5)
        self.lengthSeconds = lengthSeconds
        coarse = try plan.count("coarse", in: Self.coarseCounts, default: 7)
        axes = try plan.list("axes").map { try FrontierAxis($0.mapping(), lengthSeconds: lengthSeconds) }
        try plan.rejectUnknownKeys()
        if axes.isEmpty { throw plan.error("the plan is empty: `axes` holds none") }
        var names: Set<String> = []
        for axis in axes where !names.insert(axis.slug).inserted {
            throw ConfigurationError(
                file: head.path, line: axis.line, message: "two axes are both called \(axis.slug)")
        }
    }

    /// Overrides values of the plan; every override changes the digest.
    ///
    /// - Parameter axes: The names of the axes to keep; nil keeps all.
    /// - Throws: ``ConfigurationError`` for an unknown axis.
    package mutating func override(
        corpus: String? = nil, queries: Int? = nil, axes names: [String]? = nil
    ) throws {
        var changes: [String] = []
        if let corpus, corpus != head.corpus {
            head.corpus = corpus
            changes.append("corpus \(corpus)")
        }
        if let queries, queries != self.queries {
            self.queries = queries
            changes.append("queries \(queries)")
        }
        if let names {
            for name in names where !axes.contains(where: { $0.name == name || $0.slug == name }) {
                let known = axes.map(\.slug).joined(separator: ", ")
                throw ConfigurationError(
                    file: head.path, message: "no axis is called \(name); there are \(known)")
            }
            axes = axes.filter { names.contains($0.name) || names.contains($0.slug) }
            changes.append("axes " + axes.map(\.slug).joined(separator: ","))
        }
        head.note(changes)
    }
}
