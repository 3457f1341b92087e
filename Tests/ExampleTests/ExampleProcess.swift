import Foundation

/// Runs a built example beside the test bundle, as a user does.
struct ExampleProcess {
    let process = Process()
    private let output = Pipe()

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:], input: FileHandle? = nil)
        throws
    {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
    }

    /// The next output; empty at the end.
    func nextOutput() -> String {
        String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// All remaining output, once the process has ended.
    func finish() throws -> String {
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ExampleFailure(status: process.terminationStatus)
        }
        return String(decoding: rest, as: UTF8.self)
    }

    /// An example that exited with an error.
    struct ExampleFailure: Error {
        let status: Int32
    }
}
