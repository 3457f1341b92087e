import Foundation
import SystemIO

/// Pairs of recordings of which nobody knows yet whether they share audio, with what a person said about them.
///
/// Kept as YAML beside the recipe, `NAME.suspects`. An audit writes it; a person listens and changes `judgement` from
/// `open` to `same` or `different`, which later audits leave as it is. What is `different` counts as settled; all else
/// makes the truth of some trials doubtful, so that reports score without them too.
package struct SuspectList: Sendable, Equatable {
    package enum Judgement: String, Sendable, CaseIterable {
        case open
        /// They are the same sound: lock the corpus again to join them.
        case same
        case different
    }

    package struct Entry: Sendable, Equatable {
        package var judgement: Judgement
        package var kind: AuditFinding.Kind
        package var verdict: AuditFinding.Verdict
        package var first: String
        package var second: String
        package var firstSeconds: Double
        package var secondSeconds: Double
        package var lengthSeconds: Double
        /// The correlation of the waveforms, −1…1.
        package var correlation: Double
        package var note: String

        package init(_ finding: AuditFinding) {
            judgement = .open
            kind = finding.kind
            verdict = finding.verdict
            first = finding.first
            second = finding.second
            firstSeconds = Self.rounded(finding.firstSeconds)
            secondSeconds = Self.rounded(finding.secondSeconds)
            lengthSeconds = Self.rounded(finding.lengthSeconds)
            correlation = Self.rounded(finding.correlation)
            note = ""
        }

        private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

        func isSamePlace(as other: Entry) -> Bool {
            func overlaps(_ one: Double, _ two: Double) -> Bool {
                one < two + max(1, other.lengthSeconds) && two < one + max(1, lengthSeconds)
            }
            return first == other.first && second == other.second
                && overlaps(firstSeconds, other.firstSeconds)
                && overlaps(secondSeconds, other.secondSeconds)
        }
    }

    package var entries: [Entry]

    package init(entries: [Entry] = []) { self.entries = entries }

    /// Merges the findings of a new audit; keeps the judgements of a person.
    package func updated(with findings: [AuditFinding]) -> SuspectList {
        let found = findings.filter { $0.kind != .repeat && !$0.isKnown }.map { finding in
            var entry = Entry(finding)
            let judged = entries.filter { $0.judgement != .open }
            if let before = judged.first(where: { $0.isSamePlace(as: entry) }) {
                entry.judgement = before.judgement
                entry.note = before.note
            }
            return entry
        }
        let kept = entries.filter { entry in
            entry.judgement != .open && !found.contains { $0.isSamePlace(as: entry) }
        }
        return SuspectList(
            entries: (found + kept).sorted {
                ($0.first, $0.second, $0.firstSeconds, $0.secondSeconds) < (
                    $1.first, $1.second, $1.firstSeconds, $1.secondSeconds
                )
            })
    }
}

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

    /// Merges the findings of a new audit into the file at `path`, which is made if there is none.
    package static func update(_ path: String, with findings: [AuditFinding]) throws -> SuspectList {
        let isThere = FileManager.default.fileExists(atPath: path)
        let list = try (isThere ? SuspectList(path: path) : SuspectList()).updated(with: findings)
        // A list that is too long to be read again would lose what a person judges in it.
        _ = try SuspectList(text: list.text, name: path)
        try AtomicFile.write(list.text, to: path)
        return list
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
    /// The path of a corpus's list of suspects; the file may be missing.
    package func suspectsPath(named name: String) -> String { "\(recipeFolder)/\(name).suspects" }

    /// The list of suspects that belongs to a corpus; nil when there is none.
    ///
    /// - Throws: ``ConfigurationError`` when it cannot be read.
    package func suspects(corpus name: String) throws -> SuspectList? {
        let path = suspectsPath(named: name)
        return FileManager.default.fileExists(atPath: path) ? try SuspectList(path: path) : nil
    }
}
