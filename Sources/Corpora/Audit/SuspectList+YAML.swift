import Foundation

extension SuspectList {
    /// Reads the file at `path`.
    ///
    /// - Throws: ``ConfigurationError`` with file and line when it is not such a list.
    package init(path: String) throws {
        try self.init(YAMLReader(path: path))
    }

    /// Reads `text`, which errors call `name`.
    ///
    /// - Throws: ``ConfigurationError`` with the line when it is not such a list.
    package init(text: String, name: String) throws {
        try self.init(YAMLReader(text: text, name: name))
    }

    private init(_ reader: YAMLReader) throws {
        let root = try reader.mapping()
        entries = try root.list("suspects").map { try Entry($0) }
        try root.rejectUnknownKeys()
    }

    package var text: String {
        var lines = [
            "# Pairs of recordings that may share audio. Listen, then set judgement to same or different:",
            "# a later audit keeps it. Reports score with all trials and without those in doubt.",
            entries.isEmpty ? "suspects: []" : "suspects:",
        ]
        for entry in entries {
            lines += [
                "  - judgement: \(entry.judgement.rawValue)",
                "    kind: \(entry.kind.rawValue)",
                "    verdict: \(entry.verdict.rawValue)",
                "    first: \(Self.quoted(entry.first))",
                "    second: \(Self.quoted(entry.second))",
                "    firstSeconds: \(entry.firstSeconds)",
                "    secondSeconds: \(entry.secondSeconds)",
                "    lengthSeconds: \(entry.lengthSeconds)",
                "    correlation: \(entry.correlation)",
            ]
            if !entry.note.isEmpty { lines.append("    note: \(Self.quoted(entry.note))") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text as YAML in double quotes, of which those of JSON are a part.
    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

extension SuspectList.Entry {
    package init(_ value: YAMLValue) throws {
        let mapping = try value.mapping()
        func word<Word: RawRepresentable & CaseIterable>(_ key: String, _: Word.Type) throws -> Word
        where Word.RawValue == String {
            let value = try mapping.required(key)
            let text = try value.string()
            guard let word = Word(rawValue: text) else {
                let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw value.error("`\(key)`: \"\(text)\" is none of: \(known)")
            }
            return word
        }
        judgement = try word("judgement", SuspectList.Judgement.self)
        kind = try word("kind", AuditFinding.Kind.self)
        verdict = try word("verdict", AuditFinding.Verdict.self)
        first = try mapping.string("first")
        second = try mapping.string("second")
        firstSeconds = try mapping.double("firstSeconds")
        secondSeconds = try mapping.double("secondSeconds")
        lengthSeconds = try mapping.double("lengthSeconds")
        correlation = try mapping.double("correlation")
        note = try mapping.string("note", default: "")
        try mapping.rejectUnknownKeys()
    }
}

extension CorpusLibrary {
    /// The path of the list of suspects that belongs to a corpus, whether it is there or not.
    package func suspectsPath(named name: String) -> String { "\(recipeFolder)/\(name).suspects" }

    /// The list of suspects that belongs to a corpus; nil when there is none.
    ///
    /// - Throws: ``ConfigurationError`` when it cannot be read.
    package func suspects(corpus name: String) throws -> SuspectList? {
        let path = suspectsPath(named: name)
        return FileManager.default.fileExists(atPath: path) ? try SuspectList(path: path) : nil
    }
}
