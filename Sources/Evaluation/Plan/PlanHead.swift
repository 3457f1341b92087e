import Corpora
import SystemIO

/// What every plan file begins with, and its identity.
package struct PlanHead: Codable, Hashable, Sendable {
    package var path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    package var digest: String
    package var name: String
    /// Nil in a plan for whatever recordings the command names.
    package var corpus: String?
    package var half: CorpusHalf
    package var seed: UInt64

    package init(_ plan: YAMLMapping, of reader: YAMLReader) throws {
        path = reader.root.file
        digest = reader.digest
        name = try plan.string("name")
        corpus = try plan["corpus"] == nil ? nil : plan.string("corpus")
        half = try plan.half("half")
        seed = UInt64(try plan.count("seed", in: 0...Int.max))
    }

    init(path: String, digest: String, name: String, corpus: String, half: CorpusHalf, seed: UInt64) {
        self.path = path
        self.digest = digest
        self.name = name
        self.corpus = corpus
        self.half = half
        self.seed = seed
    }

    /// Changes the digest for overrides of the plan, each in words; nothing without any.
    package mutating func note(_ changes: [String]) {
        guard !changes.isEmpty else { return }
        digest = Digest.sha256(([digest] + changes).joined(separator: "\n"))
    }
}

/// A plan of some kind from a YAML file.
@dynamicMemberLookup
package protocol PlanDocument: Sendable {
    var head: PlanHead { get }

    init(_ reader: YAMLReader) throws
}

extension PlanDocument {
    /// Reads a plan from a YAML file.
    ///
    /// - Throws: ``ConfigurationError`` with the line of the mistake and what was expected there.
    package init(path: String) throws { try self.init(YAMLReader(path: path)) }

    package init(text: String, name: String) throws { try self.init(YAMLReader(text: text, name: name)) }

    package subscript<Value>(dynamicMember member: KeyPath<PlanHead, Value>) -> Value {
        head[keyPath: member]
    }
}
