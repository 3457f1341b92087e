import Foundation
import TestSupport

/// Runs the built `earshot` beside the test bundle, as a user would.
struct EarshotProcess {
    var status: Int32
    /// Whether it was ended by a signal instead of exiting by itself.
    var isSignalled: Bool
    var output: String
    var errors: String

    static let binary = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("earshot").path

    /// The corpora of the project in place of the short one that tests use.
    static let projectCorpora = ["EARSHOT_CORPORA": PackageFolder.path + "/Corpora"]

    /// What each process gets.
    static let environment = ProcessInfo.processInfo.environment
        .merging(["EARSHOT_CORPORA": PackageFolder.shortCorpora, "EARSHOT": binary]) { $1 }

    /// Runs to the end.
    init(_ arguments: String..., environment: [String: String] = [:]) throws {
        try self.init(command: [Self.binary] + arguments, environment: environment)
    }

    /// Runs to the end with a list of arguments.
    init(arguments: [String], environment: [String: String] = [:]) throws {
        try self.init(command: [Self.binary] + arguments, environment: environment)
    }

    /// Runs through a shell, for limits and redirections; `$EARSHOT` is the binary.
    init(shell script: String, environment: [String: String] = [:]) throws {
        try self.init(command: ["/bin/sh", "-c", script], environment: environment)
    }

    private init(command: [String], environment: [String: String]) throws {
        let started = try Started(command: command, environment: environment)
        self = try started.finish()
    }

    /// A process that runs.
    final class Started {
        let process: Process
        private let folder: URL

        init(command: [String], environment: [String: String] = [:]) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            process = Process()
            process.executableURL = URL(fileURLWithPath: command[0])
            process.arguments = Array(command.dropFirst())
            process.currentDirectoryURL = URL(fileURLWithPath: PackageFolder.path)
            process.environment = EarshotProcess.environment.merging(environment) { $1 }
            process.standardInput = FileHandle.nullDevice
            // Files, not pipes: a full pipe would stop the child.
            for name in ["output", "errors"] {
                _ = FileManager.default.createFile(
                    atPath: folder.appendingPathComponent(name).path, contents: nil)
            }
            process.standardOutput = try FileHandle(forWritingTo: folder.appendingPathComponent("output"))
            process.standardError = try FileHandle(forWritingTo: folder.appendingPathComponent("errors"))
            try process.run()
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// What it has printed so far.
        var output: String { text("output") }
        /// What it has complained of so far.
        var errors: String { text("errors") }

        private func text(_ name: String) -> String {
            (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
        }

        /// Waits until a condition holds; false if the process ends before, or a minute has passed.
        func reaches(_ condition: () throws -> Bool) rethrows -> Bool {
            var isSo = false
            _ = try eventually {
                isSo = try condition()
                return isSo || !process.isRunning
            }
            return isSo
        }

        func finish() throws -> EarshotProcess {
            process.waitUntilExit()
            return EarshotProcess(
                status: process.terminationStatus, isSignalled: process.terminationReason == .uncaughtSignal,
                output: try String(contentsOf: folder.appendingPathComponent("output"), encoding: .utf8),
                errors: try String(contentsOf: folder.appendingPathComponent("errors"), encoding: .utf8))
        }
    }

    private init(status: Int32, isSignalled: Bool, output: String, errors: String) {
        self.status = status
        self.isSignalled = isSignalled
        self.output = output
        self.errors = errors
    }
}
