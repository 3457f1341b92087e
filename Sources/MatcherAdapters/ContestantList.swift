import Corpora
import Evaluation
import Matchers
import SystemIO

/// Contestants of a YAML file: built-in ones and external programs.
package struct ContestantList: Sendable {
    package struct Entry: Sendable {
        /// The name, unique in a list.
        package let name: String
        package let contestant: Contestant
        /// What chooses it.
        package let request: MatcherRequest

        /// Makes the contestant of a request.
        package init(name: String, request: MatcherRequest) throws {
            self.name = name
            contestant = try request.contestant(called: request.program == nil ? nil : name)
            self.request = request
        }
    }

    package let entries: [Entry]

    /// Reads the file at `path`.
    ///
    /// - Parameter limits: The limits of programs, unless the file states others.
    /// - Throws: ``ConfigurationError`` with the line of the mistake and what was expected there.
    package init(path: String, limits: MatcherRequest.Limits = .init()) throws {
        try self.init(YAMLReader(path: path), limits)
    }

    /// Reads a list from `text`, which errors call `name`.
    package init(text: String, name: String, limits: MatcherRequest.Limits = .init()) throws {
        try self.init(YAMLReader(text: text, name: name), limits)
    }

    private init(_ reader: YAMLReader, _ limits: MatcherRequest.Limits) throws {
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

    private static func entry(_ item: YAMLMapping, _ usual: MatcherRequest.Limits) throws -> Entry {
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
        limits.querySeconds = try item.limit("timeLimitSeconds") ?? usual.querySeconds
        limits.startSeconds = try item.limit("startLimitSeconds") ?? usual.startSeconds
        limits.enrolSeconds = try item.limit("enrolLimitSeconds") ?? usual.enrolSeconds
        limits.readySeconds = try item.limit("readyLimitSeconds") ?? usual.readySeconds
        limits.memoryGigabytes = try item.limit("memoryLimitGigabytes") ?? usual.memoryGigabytes
        try item.rejectUnknownKeys()
        guard command.isEmpty != matcher.isEmpty else {
            throw item.error("\(name) needs either `command` or `matcher`")
        }
        var request = MatcherRequest(name: matcher)
        if !command.isEmpty {
            request = MatcherRequest(program: .init(command: command, limits: limits))
        }
        for key in (chosen?.keys ?? []).sorted() {
            if let value = try chosen?.double(key) { request.settings.append(.init(name: key, value: value)) }
        }
        do {
            return try Entry(name: name, request: request)
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
    /// The number above 0 under a key; nil where it is missing.
    fileprivate func limit(_ key: String) throws -> Double? {
        guard self[key] != nil else { return nil }
        let value = try double(key)
        guard value > 0, value <= 1e6 else { throw error("`\(key)` is \(value); expected 0 to 1000000") }
        return value
    }
}
