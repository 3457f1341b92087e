import Corpora
import Matchers

/// Contestants of a YAML file: built-in ones and external programs.
package struct ContestantList: Sendable {
    package struct Entry: Sendable {
        /// The name, unique in a list.
        package let name: String
        package let contestant: Contestant
        package let arguments: [String]

        package init(name: String, contestant: Contestant, arguments: [String]) {
            self.name = name
            self.contestant = contestant
            self.arguments = arguments
        }
    }

    package let entries: [Entry]

    /// Reads the file at `path`.
    ///
    /// - Parameter limits: The limits of programs, unless the file states others.
    /// - Throws: ``ConfigurationError`` with the line of the mistake and what was expected there.
    package init(path: String, limits: ExternalLimits = ExternalLimits()) throws {
        try self.init(YAMLReader(path: path), limits)
    }

    package init(text: String, name: String, limits: ExternalLimits = ExternalLimits()) throws {
        try self.init(YAMLReader(text: text, name: name), limits)
    }

    private init(_ reader: YAMLReader, _ limits: ExternalLimits) throws {
        let file = try reader.mapping()
        let items = try file.list("contestants")
        try file.rejectUnknownKeys()
        if items.isEmpty { throw file.error("`contestants` is empty") }
        var entries: [Entry] = []
        for item in items {
            let entry = try Self.entry(item.mapping(), limits)
            if entries.contains(where: { $0.name == entry.name }) {
                throw item.error("there are two contestants called `\(entry.name)`")
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static func entry(_ item: YAMLMapping, _ usual: ExternalLimits) throws -> Entry {
        let name = try item.string("name")
        guard isName(name) else {
            throw item.error(
                "`name` \(VisibleText.quoted(name)) has other characters than letters, digits, `-`, `_` and `.`"
            )
        }
        let command = try item.string("command", default: "")
        let matcher = try item.string("matcher", default: "")
        let chosen = try item.mapping("settings")
        var limits = usual
        limits.querySeconds = try item.seconds("timeLimitSeconds", default: usual.querySeconds)
        limits.helloSeconds = try item.seconds("startLimitSeconds", default: usual.helloSeconds)
        limits.enrolSeconds = try item.seconds("enrolLimitSeconds", default: usual.enrolSeconds)
        limits.readySeconds = try item.seconds("readyLimitSeconds", default: usual.readySeconds)
        let memory = try item.seconds("memoryLimitGigabytes", default: Double(usual.memoryBytes) / 1e9)
        limits.memoryBytes = Int(memory * 1e9)
        try item.rejectUnknownKeys()
        guard command.isEmpty != matcher.isEmpty else {
            throw item.error("\(name) needs either `command` or `matcher`")
        }
        var values: [String: Double] = [:]
        for key in chosen?.keys ?? [] { values[key] = try chosen?.double(key) }
        do {
            if !command.isEmpty {
                let external = try Contestants.external(ExternalCommand(command), name: name, limits: limits)
                return Entry(
                    name: name, contestant: try external.choosing(values),
                    arguments: ["--matcher-command", command] + limits.arguments)
            }
            guard let known = Contestants.named(matcher) else {
                let names = Contestants.all.map(\.name).joined(separator: ", ")
                throw item.error("there is no matcher called `\(matcher)`; there are \(names)")
            }
            let settings = values.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
            return Entry(
                name: name, contestant: try known.choosing(values),
                arguments: ["--matcher", matcher] + settings)
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw item.error("\(name): \(error)")
        }
    }

    package static func isName(_ name: String) -> Bool {
        (1...60).contains(name.count) && name.first != "."
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}

extension YAMLMapping {
    /// The number above 0 under a key, or `fallback`.
    fileprivate func seconds(_ key: String, default fallback: Double) throws -> Double {
        let value = try double(key, default: fallback)
        guard value > 0, value <= 1e6 else { throw error("`\(key)` is \(value); expected 0 to 1000000") }
        return value
    }
}
