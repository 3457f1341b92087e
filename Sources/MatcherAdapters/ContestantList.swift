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
    /// - Parameters:
    ///   - limits: The limits of programs, unless the file states others.
    ///   - variables: The names of variables that all programs get, beside those that the file states.
    /// - Throws: ``ConfigurationError`` with the line of the mistake and what was expected there.
    package init(path: String, limits: MatcherRequest.Limits = .init(), variables: [String] = []) throws {
        try self.init(YAMLReader(path: path), limits, variables)
    }

    /// Reads a list from `text`, which errors call `name`.
    package init(text: String, name: String, limits: MatcherRequest.Limits = .init()) throws {
        try self.init(YAMLReader(text: text, name: name), limits, [])
    }

    private init(_ reader: YAMLReader, _ limits: MatcherRequest.Limits, _ variables: [String]) throws {
        let file = try reader.mapping()
        let items = try file.list("contestants")
        try file.rejectUnknownKeys()
        if items.isEmpty { throw file.error("`contestants` is empty") }
        var entries: [Entry] = []
        for item in items {
            let entry = try Self.entry(item.mapping(), limits, variables)
            if entries.contains(where: { $0.name == entry.name }) {
                throw item.error("there are two contestants called `\(entry.name)`")
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static func entry(
        _ item: YAMLMapping, _ usual: MatcherRequest.Limits, _ variables: [String]
    ) throws -> Entry {
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
        let named = try item.list("variables").map { try $0.string() }
        let settingsFile = try item.string("settingsFile", default: "")
        try item.rejectUnknownKeys()
        guard command.isEmpty != matcher.isEmpty else {
            throw item.error("\(name) needs either `command` or `matcher`")
        }
        var request = MatcherRequest(name: matcher)
        if !command.isEmpty {
            request = MatcherRequest(
                program: .init(
                    command: command, limits: limits, variables: variables + named,
                    settings: settingsFile.isEmpty ? nil : try SettingFile.tunables(path: settingsFile)))
        } else if !settingsFile.isEmpty {
            throw item.error("\(name) has a `settingsFile`, which belongs to a `command`")
        }
        for key in (chosen?.keys ?? []).sorted() {
            if let value = chosen?[key] {
                request.settings.append(.init(name: key, text: try value.settingText()))
            }
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

extension YAMLValue {
    /// The value of a setting as `--set` takes it.
    fileprivate func settingText() throws -> String {
        switch scalar {
        case .bool(let flag)?: "\(flag)"
        case .int?, .double?: "\(try double())"
        default: try string()
        }
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
