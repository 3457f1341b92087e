import Corpora
import Foundation
import SystemIO

/// A CSV file with a line for each look at a set of recordings, on the disk before the first answer.
///
/// It refuses a second look of one engine. The ledger of a search for settings counts looks at a held-out half instead.
package struct ExamLedger: Sendable {
    private let path: String
    private let note: @Sendable (String) -> Void

    /// Checks the ledger at `path`, which need not exist yet.
    ///
    /// - Parameter note: Receives how often a set was seen.
    /// - Throws: ``ConfigurationError`` with the line that is malformed, doubled or out of order.
    package init(path: String, note: @escaping @Sendable (String) -> Void = { _ in }) throws {
        self.path = path
        self.note = note
        _ = try Self.looks(in: path)
    }

    /// Writes a look before it happens, and its copy into the folder of the run.
    ///
    /// A run whose folder has the look resumes, and no line is written.
    ///
    /// - Throws: ``MeasurementError`` for the second look of one engine; ``ConfigurationError`` for a faulty ledger.
    package func record(_ look: Look, in folder: String) throws {
        let lock = try locked()
        defer { withExtendedLifetime(lock) {} }
        let looks = try Self.looks(in: path)
        let before = looks.filter { $0.isOfRecordings(of: look) }
        let copy = folder + "/looks.csv"
        guard
            URL(fileURLWithPath: copy).resolvingSymlinksInPath()
                != URL(fileURLWithPath: path).resolvingSymlinksInPath()
        else {
            throw Self.error(path, nil, "expected a ledger outside the folder of the run, which has a copy")
        }
        let own = try Self.looks(in: copy)
        let engines = Set(before.map(\.engine)).count
        let seen =
            "\(path): the recordings of \(look.set) were seen \(before.count.counting("time")), by "
            + engines.counting("engine")
        if own.contains(where: { $0.isContinued(by: look) && looks.contains($0) }) {
            return note(seen + "; this run goes on with its look")
        }
        if let index = looks.firstIndex(where: { $0.isSpent(by: look) }) {
            throw MeasurementError(
                "\(path):\(index + 2): \(look.matcher) \(look.version) had its look at \(look.set) with plan "
                    + "\(look.plan) on \(looks[index].date.prefix(10)). Another version of the engine may look once. "
                    + "An interrupted run resumes in its own folder")
        }
        if let last = (looks + own).map(\.date).max(), last > look.date {
            throw Self.error(path, nil, "expected no look after now, \(look.date), found one of \(last)")
        }
        // First the copy: a process that is killed between the two has not looked.
        try AtomicFile.write(Self.text(own + [look]), to: copy)
        try append(look, lock)
        note(seen + " before; this look is line \(looks.count + 2)")
    }

    /// Locks the ledger, which is made if there is none.
    private func locked() throws -> FileLock {
        do { return try FileLock(path, longestWait: 10) } catch {
            throw Self.error(path, nil, "cannot be written: \(error)")
        }
    }

    /// Appends a line and waits until it is on the disk; after an error the file is as before.
    private func append(_ look: Look, _ lock: FileLock) throws {
        let file = try FileAppender(opening: path, flags: O_WRONLY | O_APPEND, for: path)
        let end = lseek(lock.descriptor, 0, SEEK_END)
        let text = end == 0 ? Self.text([look]) : CSVField.line(look.cells) + "\n"
        do {
            try file.append(Array(text.utf8))
            try file.synchronize()
            try SyncedFolder(SyncedFolder.parent(of: path), for: path).synchronize()
        } catch {
            ftruncate(lock.descriptor, end)
            throw error
        }
    }

    private static func text(_ looks: [Look]) -> String {
        ([Look.columns] + looks.map(\.cells)).map { CSVField.line($0) + "\n" }.joined()
    }

    /// The lines of a ledger; none if it does not exist or is empty.
    private static func looks(in path: String) throws -> [Look] {
        guard let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else {
            if access(path, F_OK) == 0, access(path, R_OK) != 0 { throw error(path, nil, "cannot be read") }
            return []
        }
        if bytes.last != UInt8(ascii: "\n") {
            let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            throw error(path, line, "expected the end of a line, found the end of the file")
        }
        var reader = CSVReader(bytes, name: path)
        guard try reader.next()?.map(\.text) == Look.columns else {
            throw error(path, 1, "expected the columns \(Look.columns.joined(separator: ","))")
        }
        var looks: [Look] = []
        var lines: [[String]: Int] = [:]
        while let row = try reader.next() {
            let line = row[0].line
            // So that the number of a look and the number of its line go together.
            guard line == looks.count + 2 else { throw error(path, looks.count + 2, "expected a look") }
            do { looks.append(try Look(row.map(\.text))) } catch { throw Self.error(path, line, "\(error)") }
            let look = looks[looks.count - 1]
            if looks.count > 1, look.date < looks[looks.count - 2].date {
                throw error(
                    path, line,
                    "expected a date from \(looks[looks.count - 2].date) on, found \(look.date)")
            }
            if let first = lines.updateValue(line, forKey: Array(look.cells.dropFirst())) {
                throw error(path, line, "expected another look than that of line \(first)")
            }
        }
        return looks
    }

    private static func error(_ path: String, _ line: Int?, _ message: String) -> ConfigurationError {
        ConfigurationError(file: path, line: line, message: message)
    }
}

extension ExamLedger {
    /// A line of a ledger; what is not known of an earlier look is empty.
    package struct Look: Hashable, Sendable {
        /// When it began, in ISO 8601.
        let date: String
        let set: String
        /// The digest of the corpus lock.
        let setDigest: String
        let plan: String
        let planDigest: String
        let matcher: String
        let version: String
        let settingsDigest: String
        /// The identity of the contestant, which changes with its code.
        let matcherDigest: String
        let commit: String

        static let columns = [
            "date", "set", "setDigest", "plan", "planDigest", "matcher", "version", "settingsDigest",
            "matcherDigest", "commit",
        ]

        var cells: [String] {
            [
                date, set, setDigest, plan, planDigest, matcher, version, settingsDigest, matcherDigest,
                commit,
            ]
        }

        /// A look at a plan that begins now.
        package init(at plan: Plan, by contestant: RunFacts.Contestant) {
            date = Date().formatted(.iso8601)
            set = plan.corpus.name
            setDigest = plan.corpus.lockDigest
            self.plan = plan.file.name
            planDigest = plan.digest
            matcher = contestant.name
            version = contestant.version
            let settings = contestant.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }
            settingsDigest = Digest.sha256(settings.joined())
            matcherDigest = contestant.identity
            commit = Provenance.currentCommit
        }

        fileprivate init(_ cells: [String]) throws(Fault) {
            guard cells.count == Self.columns.count else {
                throw Fault("expected \(Self.columns.count) cells, found \(cells.count)")
            }
            for (column, cell) in zip(Self.columns, cells) {
                if let expected = Self.expectation(column, cell) {
                    throw Fault("`\(column)`: expected \(expected), found \"\(cell.prefix(80))\"")
                }
            }
            (date, set, setDigest, plan, planDigest) = (cells[0], cells[1], cells[2], cells[3], cells[4])
            (matcher, version, settingsDigest, matcherDigest, commit) = (
                cells[5], cells[6], cells[7], cells[8], cells[9]
            )
        }

        fileprivate struct Fault: Error, CustomStringConvertible {
            let description: String

            init(_ description: String) { self.description = description }
        }

        /// What a cell should have been; nil for a valid one.
        private static func expectation(_ column: String, _ cell: String) -> String? {
            switch column {
            case "date":
                let isDate =
                    cell.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
                    && (try? Date(cell, strategy: .iso8601)) != nil
                return isDate ? nil : "a time such as 2026-01-31T12:00:00Z"
            case "version": return nil
            case _ where column.hasSuffix("Digest"):
                return cell.wholeMatch(of: /([0-9a-f]{64})?/) != nil
                    ? nil : "64 hexadecimal digits or nothing"
            default: return cell.isEmpty ? "a text" : nil
            }
        }

        var engine: [String] { [matcher, version, settingsDigest] }

        func isOfRecordings(of other: Look) -> Bool {
            setDigest.isEmpty ? set == other.set : setDigest == other.setDigest
        }

        /// Whether it is the only look that an engine has at the recordings and the plan of `other`.
        func isSpent(by other: Look) -> Bool {
            isOfRecordings(of: other) && (plan == other.plan || planDigest == other.planDigest)
                && matcher == other.matcher && version == other.version
                && (settingsDigest.isEmpty || settingsDigest == other.settingsDigest)
        }

        /// Whether `other` is the same look, begun again.
        func isContinued(by other: Look) -> Bool {
            cells.dropFirst().dropLast() == other.cells.dropFirst().dropLast()
        }
    }
}
