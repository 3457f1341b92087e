import Subprocess

/// A command of the system that is run to its end.
struct ChildTool: Sendable {
    /// A path, or a name found through the PATH.
    let name: String
    /// What it means when the command fails; that it is missing always means `unavailable`.
    let failure: CorpusError.Code

    /// Runs the command in `folder`, in the C locale.
    ///
    /// - Returns: what it wrote to standard output.
    /// - Throws: ``CorpusError`` with the end of what it wrote to standard error.
    func run(_ arguments: [String], in folder: String) async throws -> String {
        let command = ([name] + arguments).joined(separator: " ")
        let status: TerminationStatus
        let output: String
        let complaint: String
        do {
            let result = try await Subprocess.run(
                name.contains("/") ? .path(.init(name)) : .name(name), arguments: Arguments(arguments),
                environment: .inherit.updating(["LC_ALL": "C"]), workingDirectory: .init(folder),
                output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
            status = result.terminationStatus
            output = result.standardOutput
            complaint = result.standardError
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw CorpusError(.unavailable, "`\(command)` could not be run: \(error)")
        }
        guard status.isSuccess else {
            let tail = complaint.split(separator: "\n").suffix(3).joined(separator: "; ")
            throw CorpusError(failure, "`\(command)` failed (\(status)): \(tail)")
        }
        return output
    }
}
