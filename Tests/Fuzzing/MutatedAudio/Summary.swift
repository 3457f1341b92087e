/// How all commands ended.
struct Summary: Sendable, CustomStringConvertible {
    /// How many read the file.
    private(set) var readCount = 0
    /// How many refused it with a message.
    private(set) var refusedCount = 0
    /// What went wrong, by the number of the file.
    private(set) var failures: [Int: String] = [:]

    /// Counts one command.
    mutating func add(_ number: Int, _ verdict: CommandTrial.Verdict) {
        switch verdict {
        case .read: readCount += 1
        case .refused: refusedCount += 1
        case .failed(let reason): failures[number] = reason
        }
    }

    /// Counts what another counted.
    mutating func add(_ other: Summary) {
        readCount += other.readCount
        refusedCount += other.refusedCount
        failures.merge(other.failures) { first, _ in first }
    }

    /// One line for each failure and one of totals.
    var description: String {
        let lines = failures.sorted { $0.key < $1.key }.map { "file \($0.key): \($0.value)" }
        let total = readCount + refusedCount + failures.count
        let line =
            "\(total) files: \(readCount) read, \(refusedCount) refused with a message, \(failures.count) failed"
        return (lines + [line]).joined(separator: "\n")
    }
}
