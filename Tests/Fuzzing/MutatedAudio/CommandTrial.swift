import AudioIO
import Foundation

/// Runs the command on one file and checks how it ends.
struct CommandTrial: Sendable {
    let command: [String]
    let folder: String
    let timeoutSeconds: Double

    /// The result for a file.
    enum Outcome: Sendable, Equatable {
        case read
        case refused
        case failed(String)
    }

    /// Writes the file, runs the command on it, and removes the file unless something went wrong.
    func run(_ file: MutatedFile) -> Outcome {
        let input = "\(folder)/mutated-\(file.number).\(file.fileExtension)"
        let output = "\(folder)/mutated-\(file.number).out"
        do {
            // Not through AtomicFile: ten thousand forced writes would take longer than the commands.
            try Data(file.bytes).write(to: URL(fileURLWithPath: input))
        } catch {
            return .failed("cannot be written: \(error)")
        }
        let words = command.map {
            $0.replacingOccurrences(of: "{file}", with: input).replacingOccurrences(of: "{out}", with: output)
        }
        let child = try? ChildProcess.run(
            words[0], Array(words.dropFirst()), timeoutSeconds: timeoutSeconds, maximumOutputBytes: 1 << 24)
        let outcome = check(child, outputExists: FileManager.default.fileExists(atPath: output))
        try? FileManager.default.removeItem(atPath: output)
        if case .failed = outcome { return outcome }
        try? FileManager.default.removeItem(atPath: input)
        return outcome
    }

    private func check(_ child: ChildProcess?, outputExists: Bool) -> Outcome {
        guard let child else { return .failed("cannot be started: \(command[0])") }
        switch child.end {
        case .exited(0): return .read
        case .exited(1) where outputExists: return .failed("refused, but an output was left behind")
        case .exited(1) where child.complaint.isEmpty: return .failed("refused without a message")
        case .exited(1): return .refused
        case .exited(let code): return .failed("exit code \(code): \(child.complaint.prefix(300))")
        case .signalled(let signal):
            return .failed("ended by signal \(signal): \(child.complaint.prefix(300))")
        case .timedOut: return .failed("no end after \(timeoutSeconds) s")
        case .exceededOutput: return .failed("endless output")
        }
    }
}
