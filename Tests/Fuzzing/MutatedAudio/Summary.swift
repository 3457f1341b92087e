/// The results of all commands.
struct Summary: Sendable, CustomStringConvertible {
    private(set) var readCount = 0
    /// Files refused with a message.
    private(set) var refusedCount = 0
    /// The failures by the number of the file.
    private(set) var failures: [Int: String] = [:]

    mutating func add(_ number: Int, _ outcome: CommandTrial.Outcome) {
        switch outcome {
        case .read: readCount += 1
        case .refused: refusedCount += 1
        case .failed(let reason): failures[number] = reason
        }
    }

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
