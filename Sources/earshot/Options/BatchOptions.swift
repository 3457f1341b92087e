import ArgumentParser

/// What to do when some of many files fail.
struct BatchOptions: ParsableArguments {
    @Flag(help: "Write nothing if a file fails. Without this option the others are written.")
    var allOrNothing = false
}

/// The errors of files that failed, which are named after the work on the others.
struct FailedFiles {
    private(set) var errors: [any Error]
    private let isFatal: Bool

    /// - Parameter options: nil for a command that always goes on.
    init(_ errors: [any Error] = [], options: BatchOptions? = nil) {
        self.errors = errors
        isFatal = options?.allOrNothing ?? false
    }

    /// Keeps the error.
    /// - Throws: It, with `--all-or-nothing`.
    mutating func append(_ error: any Error) throws {
        if isFatal { throw error }
        errors.append(error)
    }

    /// Ends the command if nothing but failures is left.
    /// - Throws: The errors, as ``report()`` does.
    func require(_ isSomethingLeft: Bool) throws {
        if isSomethingLeft { return }
        if errors.count == 1 { throw errors[0] }
        try report()
    }

    /// Names the files.
    /// - Throws: Exit code 1 if there are any.
    func report() throws {
        guard !errors.isEmpty else { return }
        for error in errors { StandardError.print("Error: " + Advice.text(error)) }
        StandardError.print("\(errors.count.counting("file")) failed")
        throw ExitCode(1)
    }
}
