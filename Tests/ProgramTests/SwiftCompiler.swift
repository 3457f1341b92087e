import Foundation
import TestSupport

/// Type-checks programs against the modules built beside the tests.
struct SwiftCompiler {
    /// Whether the program compiles.
    let accepts: Bool
    /// The compiler's output.
    let messages: String

    /// The errors in the output, one line each.
    var errors: [Substring] {
        messages.split(separator: "\n").filter { $0.contains("Program.swift:") && $0.contains(": error: ") }
    }

    /// The folder of the built modules.
    private static let modules = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("Modules").path

    /// The folders of the C module maps that the package manager passes to programs.
    private static let maps: [String] = {
        // PRODUCTS/…xctest is two folders below the one that holds `checkouts`.
        let scratch = URL(fileURLWithPath: modules).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let checkouts = ["GRDB.swift", "Yams"].map { "\(scratch)/checkouts/\($0)" }
        // The package manager writes the map of a C target that has none beside its objects.
        let products = URL(fileURLWithPath: modules).deletingLastPathComponent().path
        let written = ["CConfinement", "CKernels", "CPages", "CTagLib", "COpenCombineHelpers"].map {
            "\(products)/\($0).build"
        }
        return written
            + ([PackageFolder.path] + checkouts).flatMap { package in
                let folders =
                    (try? FileManager.default.contentsOfDirectory(atPath: package + "/Sources")) ?? []
                return folders.flatMap { ["\(package)/Sources/\($0)", "\(package)/Sources/\($0)/include"] }
                    .filter { FileManager.default.fileExists(atPath: $0 + "/module.modulemap") }
            }
    }()

    /// Checks a program of one file.
    init(_ source: String, languageMode: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("Program.swift")
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        try self.init(files: [file], languageMode: languageMode)
    }

    /// Checks the files of a module.
    ///
    /// - Parameter options: Further options of the compiler.
    init(files: [String], languageMode: Int, options: [String] = []) throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["swiftc", "-typecheck", "-swift-version", "\(languageMode)", "-I", Self.modules]
            + Self.maps.flatMap { ["-I", $0] } + options + files
        // A file, because a full pipe would block the child.
        let output = folder.file("output")
        guard FileManager.default.createFile(atPath: output, contents: nil),
            let handle = FileHandle(forWritingAtPath: output)
        else { throw CocoaError(.fileWriteUnknown) }
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        accepts = process.terminationStatus == 0
        messages = try String(contentsOfFile: output, encoding: .utf8)
    }
}
