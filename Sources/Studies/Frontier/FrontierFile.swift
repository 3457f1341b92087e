import Corpora
import SystemIO

/// A plan of axes from a YAML file; `Corpora/Plans/README.md` describes each key.
package struct FrontierFile: Sendable {
    package let path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    package private(set) var digest: String
    package let name: String
    package private(set) var corpus: String
    package let half: CorpusHalf
    package let seed: UInt64
    package private(set) var queries: Int
    /// The length of a query in seconds, unless an axis states another.
    package let lengthSeconds: Double
    /// The rungs of each axis that are tried before the bisection.
    package let coarse: Int
    package private(set) var axes: [FrontierAxis]

    package static let coarseCounts = 2...100
    package static let queryCounts = 1...10_000

    /// - Throws: ``ConfigurationError`` with the line of the mistake and what was expected there.
    package init(path: String) throws { try self.init(YAMLReader(path: path)) }

    package init(text: String, name: String) throws { try self.init(YAMLReader(text: text, name: name)) }

    private init(_ reader: YAMLReader) throws {
        let plan = try reader.mapping()
        path = reader.root.file
        digest = reader.digest
        name = try plan.string("name")
        guard plan["axes"] != nil else {
            throw plan.error("the key `axes` is missing; expected a plan of axes")
        }
        corpus = try plan.string("corpus")
        half = try plan.half("half")
        seed = UInt64(try plan.count("seed", in: 0...Int.max))
        queries = try plan.count("queries", in: Self.queryCounts)
        let lengthSeconds = try plan.length("lengthSeconds", default: 5)
        self.lengthSeconds = lengthSeconds
        coarse = try plan["coarse"] == nil ? 7 : plan.count("coarse", in: Self.coarseCounts)
        axes = try plan.list("axes").map { try FrontierAxis($0.mapping(), lengthSeconds: lengthSeconds) }
        try plan.rejectUnknownKeys()
        if axes.isEmpty { throw plan.error("the plan is empty: `axes` holds none") }
        var names: Set<String> = []
        for axis in axes where !names.insert(axis.slug).inserted {
            throw ConfigurationError(
                file: path, line: axis.line, message: "two axes are both called \(axis.slug)")
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
        if let corpus, corpus != self.corpus {
            self.corpus = corpus
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
                    file: path, line: nil, message: "no axis is called \(name); there are \(known)")
            }
            axes = axes.filter { names.contains($0.name) || names.contains($0.slug) }
            changes.append("axes " + axes.map(\.slug).joined(separator: ","))
        }
        guard !changes.isEmpty else { return }
        digest = Digest.sha256(([digest] + changes).joined(separator: "\n"))
    }
}
