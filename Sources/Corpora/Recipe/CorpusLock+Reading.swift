import Foundation

extension CorpusLock {
    /// Reads the lock at `path`.
    ///
    /// - Throws: ``ConfigurationError`` with file and line for anything unexpected.
    package init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else { throw ConfigurationError(file: path, line: nil, message: "the lock cannot be read as text") }
        try self.init(text: text, name: path)
    }

    /// Reads the text of a lock, which errors call `name`.
    ///
    /// - Throws: ``ConfigurationError`` with file and line for anything unexpected.
    package init(text: String, name: String) throws {
        var minimum: Double?
        var versions: [String: String] = [:]
        var files: [File] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let row = LockRow(file: name, line: index + 1, text: line)
            if index == 0 {
                guard line == "earshot-corpus-lock\t1" else {
                    throw row.error("expected `earshot-corpus-lock`, a tab and `1`; is this a lock?")
                }
            } else if !line.isEmpty {
                switch row.columns[0] {
                case "minimumSeconds": minimum = try row.number(1, of: 2)
                case "package": versions[try row.text(1, of: 3)] = try row.text(2, of: 3)
                case "file": files.append(try File(row))
                default: throw row.error("expected a line of minimumSeconds, package or file")
                }
            }
        }
        guard let minimum else {
            throw ConfigurationError(file: name, line: nil, message: "the line minimumSeconds is missing")
        }
        let ids = Set(files.map(\.id))
        guard ids.count == files.count else {
            throw ConfigurationError(file: name, line: nil, message: "two files have the same id")
        }
        if let file = files.first(where: { !ids.contains($0.classID) }) {
            throw ConfigurationError(
                file: name, line: nil,
                message: "\(file.id): there is no file \"\(file.classID)\" to be its class")
        }
        self.init(minimumSeconds: minimum, versions: versions, files: files)
    }
}

extension CorpusLock.File {
    fileprivate init(_ row: LockRow) throws {
        let count = 12
        id = try row.text(1, of: count)
        package = try row.text(2, of: count)
        path = try row.text(3, of: count)
        sha256 = try row.text(4, of: count)
        byteCount = try row.integer(5, of: count, in: 0...(1 << 40))
        frameCount = try row.integer(6, of: count, in: 0...(1 << 40))
        sampleRate = try row.integer(7, of: count, in: 1...10_000_000)
        channelCount = try row.integer(8, of: count, in: 1...1024)
        guard let role = CorpusRole(try row.text(9, of: count)) else {
            throw row.error("column 10: expected a role, found \"\(row.columns[9])\"")
        }
        self.role = role
        classID = try row.text(10, of: count)
        offsetSeconds = row.columns[11] == "-" ? nil : try row.number(11, of: count)
        guard SplitRule.role(ofDigest: sha256) != nil else {
            throw row.error("column 5: expected 64 hexadecimal digits, found \"\(sha256.prefix(80))\"")
        }
        // Paths are joined to the cache folder, so they must not lead out of it.
        for name in [package, path] {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.contains(".."), !parts.contains("") else {
                throw row.error("expected a relative path without `..`, found \"\(name)\"")
            }
        }
    }
}

/// One line of a lock on its way to becoming values.
private struct LockRow {
    let file: String
    let line: Int
    let columns: [String]

    init(file: String, line: Int, text: Substring) {
        self.file = file
        self.line = line
        columns = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }

    func error(_ message: String) -> ConfigurationError {
        ConfigurationError(file: file, line: line, message: message)
    }

    func text(_ column: Int, of count: Int) throws -> String {
        guard columns.count == count else {
            throw error("expected \(count) columns separated by tabs, found \(columns.count)")
        }
        guard !columns[column].isEmpty else { throw error("column \(column + 1) is empty") }
        return columns[column]
    }

    func integer(_ column: Int, of count: Int, in range: ClosedRange<Int>) throws -> Int {
        let text = try text(column, of: count)
        guard let number = Int(text), range.contains(number) else {
            throw error(
                "column \(column + 1): expected \(range.lowerBound) to \(range.upperBound), found \"\(text)\""
            )
        }
        return number
    }

    func number(_ column: Int, of count: Int) throws -> Double {
        let text = try text(column, of: count)
        guard let number = Double(text), number.isFinite else {
            throw error("column \(column + 1): expected a number, found \"\(text)\"")
        }
        return number
    }
}
