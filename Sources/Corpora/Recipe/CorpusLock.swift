import Foundation
import SystemIO

/// The identity of every file of a corpus when it was locked: the content of `Corpora/NAME.lock`.
///
/// The file is sorted text with tab-separated columns, for readable diffs. The first line is `earshot-corpus-lock 1`.
/// Then come `minimumSeconds S`, and `package NAME VERSION` for each package. The columns for each file are `file`,
/// id, package, path, SHA-256, bytes, frames, rate, channels, role, class and offset. Where recordings are made from the
/// files of packages, these have lines of their own: `input`, package, path, SHA-256 and bytes.
package struct CorpusLock: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        package var id: String
        /// The Debian package it is in, or `synthetic`.
        package var package: String
        /// The path below the root of the package's file tree.
        package var path: String
        /// SHA-256 of the packaged file, in hexadecimal; of 16-bit samples where there is no file.
        package var sha256: String
        package var byteCount: Int
        package var frameCount: Int
        /// Its sample rate in hertz.
        package var sampleRate: Int
        package var channelCount: Int
        package var role: CorpusRole
        package var classID: String
        /// This recording at second t is the class's first at second t + `offsetSeconds`; nil
        /// where the two only share a passage.
        package var offsetSeconds: Double?

        package var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

        /// The defaults of class and offset are those of a recording on its own.
        package init(
            id: String, package: String, path: String, sha256: String, byteCount: Int, frameCount: Int,
            sampleRate: Int, channelCount: Int, role: CorpusRole, classID: String? = nil,
            offsetSeconds: Double? = 0
        ) {
            self.id = id
            self.package = package
            self.path = path
            self.sha256 = sha256
            self.byteCount = byteCount
            self.frameCount = frameCount
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.role = role
            self.classID = classID ?? id
            self.offsetSeconds = offsetSeconds
        }
    }

    /// A file of a package.
    package struct Input: Hashable, Sendable {
        package var package: String
        /// The path below the root of the package's file tree.
        package var path: String
        package var sha256: String
        package var byteCount: Int
    }

    package let minimumSeconds: Double
    package let versions: [String: String]
    package let files: [File]
    /// What the recordings are made from, where they are no files of packages.
    package let inputs: [Input]

    package init(
        minimumSeconds: Double, versions: [String: String], files: [File], inputs: [Input] = []
    ) {
        self.minimumSeconds = minimumSeconds
        self.versions = versions
        self.inputs = inputs.sorted { ($0.package, $0.path) < ($1.package, $1.path) }
        self.files = files.sorted { ($0.package, $0.path) < ($1.package, $1.path) }
    }

    /// The files of packages that the corpus needs.
    package var packaged: [Input] {
        inputs.isEmpty
            ? files.map {
                Input(package: $0.package, path: $0.path, sha256: $0.sha256, byteCount: $0.byteCount)
            } : inputs
    }

    /// The SHA-256 of each file, by id.
    package var checksums: [String: String] {
        Dictionary(files.map { ($0.id, $0.sha256) }, uniquingKeysWith: { first, _ in first })
    }

    package var text: String {
        var lines = ["earshot-corpus-lock\t1", "minimumSeconds\t\(minimumSeconds)"]
        for (package, version) in versions.sorted(by: { $0.key < $1.key }) {
            lines.append("package\t\(package)\t\(version)")
        }
        for input in inputs {
            lines.append(
                ["input", input.package, input.path, input.sha256, "\(input.byteCount)"]
                    .joined(separator: "\t"))
        }
        for file in files {
            let offset = file.offsetSeconds.map { String(format: "%.6f", $0) } ?? "-"
            let columns = [
                "file", file.id, file.package, file.path, file.sha256, "\(file.byteCount)",
                "\(file.frameCount)", "\(file.sampleRate)", "\(file.channelCount)", "\(file.role)",
                file.classID, offset,
            ]
            lines.append(columns.joined(separator: "\t"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// SHA-256 of ``text``, in hexadecimal: what reports give as the identity of a corpus.
    package var digest: String { Digest.sha256(text) }
}

extension CorpusLock {
    /// Reads the lock at `path`.
    ///
    /// - Throws: ``ConfigurationError`` with file and line for anything unexpected.
    package init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else { throw ConfigurationError(file: path, message: "the lock cannot be read as text") }
        try self.init(text: text, name: path)
    }

    /// Reads the text of a lock, which errors call `name`.
    ///
    /// - Throws: ``ConfigurationError`` with file and line for anything unexpected.
    package init(text: String, name: String) throws {
        var minimum: Double?
        var versions: [String: String] = [:]
        var files: [File] = []
        var inputs: [Input] = []
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
                case "input": inputs.append(try Input(row))
                default: throw row.error("expected a line of minimumSeconds, package, input or file")
                }
            }
        }
        guard let minimum else {
            throw ConfigurationError(file: name, message: "the line minimumSeconds is missing")
        }
        let ids = Set(files.map(\.id))
        guard ids.count == files.count else {
            throw ConfigurationError(file: name, message: "two files have the same id")
        }
        if let file = files.first(where: { !ids.contains($0.classID) }) {
            throw ConfigurationError(
                file: name, message: "\(file.id): its class \"\(file.classID)\" is not the id of a file")
        }
        self.init(minimumSeconds: minimum, versions: versions, files: files, inputs: inputs)
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
        try row.check(digest: sha256, column: 5, package: package, path: path)
        guard package != RenditionPlace.package || RenditionPlace(path) != nil else {
            throw row.error("column 4: expected HALF/PACKAGE/FILE@RENDITION, found \"\(path)\"")
        }
    }
}

extension CorpusLock.Input {
    fileprivate init(_ row: LockRow) throws {
        let count = 5
        package = try row.text(1, of: count)
        path = try row.text(2, of: count)
        sha256 = try row.text(3, of: count)
        byteCount = try row.integer(4, of: count, in: 0...(1 << 40))
        try row.check(digest: sha256, column: 4, package: package, path: path)
    }
}

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

    func check(digest: String, column: Int, package: String, path: String) throws {
        guard SplitRule.role(ofDigest: digest) != nil else {
            throw error("column \(column): expected 64 hexadecimal digits, found \"\(digest.prefix(80))\"")
        }
        // Paths are joined to the cache folder, so they must not lead out of it.
        for name in [package, path] {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.contains(".."), !parts.contains("") else {
                throw error("expected a relative path without `..`, found \"\(name)\"")
            }
        }
    }

    func number(_ column: Int, of count: Int) throws -> Double {
        let text = try text(column, of: count)
        guard let number = Double(text), number.isFinite else {
            throw error("column \(column + 1): expected a number, found \"\(text)\"")
        }
        return number
    }
}

extension CorpusLock {
    /// The difference between the recipe and this lock; nil when they agree.
    package func difference(from recipe: CorpusRecipe) -> String? {
        if minimumSeconds != recipe.minimumSeconds {
            return "minimumSeconds is \(recipe.minimumSeconds), locked with \(minimumSeconds)"
        }
        switch recipe.source {
        case .synthetic(let synthetic): return difference(from: SyntheticCorpus(synthetic))
        case .folder: return nil
        case .packages(let packages): return difference(from: packages, of: recipe)
        case .renditions: return differenceOfInputs(from: recipe)
        }
    }

    private func difference(from synthetic: SyntheticCorpus) -> String? {
        let locked = files.map { [$0.id, $0.path, "\($0.frameCount)"] }
        let wanted = synthetic.pieces.map { [$0.id, $0.path, "\($0.music.frameCount)"] }
        return locked == wanted ? nil : "number, length or seed of the tracks"
    }

    /// A pattern of the recipe that no file of its package fits.
    private func unusedPattern(of recipe: CorpusRecipe) -> String? {
        for package in recipe.packages {
            let paths = packaged.filter { $0.package == package.name }.map(\.path)
            for set in package.files where !paths.contains(where: set.glob.matches) {
                return "the pattern \(set.glob) fits nothing that is locked"
            }
        }
        return nil
    }

    private func differenceOfInputs(from recipe: CorpusRecipe) -> String? {
        if let unused = unusedPattern(of: recipe) { return unused }
        for input in inputs where recipe.fileSet(package: input.package, path: input.path) == nil {
            return "no pattern fits \(input.package)/\(input.path)"
        }
        let longest = files.map(\.durationSeconds).max() ?? 0
        return abs(longest - (recipe.renditions?.seconds ?? 0)) < 0.01 ? nil : "the seconds of a rendition"
    }

    private func difference(from packages: [CorpusRecipe.Package], of recipe: CorpusRecipe) -> String? {
        let odd = Set(packages.map(\.name)).symmetricDifference(versions.keys)
        if !odd.isEmpty { return "packages \(odd.sorted().joined(separator: ", "))" }
        if let unused = unusedPattern(of: recipe) { return unused }
        for file in files {
            guard let set = recipe.fileSet(package: file.package, path: file.path) else {
                return "no pattern fits \(file.package)/\(file.path)"
            }
            if set.role != file.role { return "the role of \(file.id)" }
            if recipe.identifier(package: file.package, path: file.path) != file.id {
                return "the id of \(file.id)"
            }
        }
        return nil
    }
}
