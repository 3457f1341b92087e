import Foundation
import TestSupport
import Testing

/// Programs for Apple's modules compile unchanged, and with `import EarshotKit` instead of their imports.
@Suite struct CompileTests {
    private static let folder = PackageFolder.path + "/Tests/ProgramTests"
    private static let programs =
        (1...30).map { $0 < 10 ? "T0\($0)" : "T\($0)" } + ["Article", "../../SwiftFiveTests/Sample"]

    private func source(_ name: String) throws -> String {
        try String(contentsOfFile: "\(Self.folder)/\(name).swift", encoding: .utf8)
    }

    @Test(arguments: programs, [5, 6])
    func programsCompileUnchanged(program: String, mode: Int) throws {
        let result = try SwiftCompiler(source("Programs/\(program)"), languageMode: mode)
        #expect(result.accepts, "\(result.messages)")
    }

    @Test(arguments: programs, [5, 6])
    func programsCompileWithEarshotKit(program: String, mode: Int) throws {
        var lines = try source("Programs/\(program)").split(separator: "\n", omittingEmptySubsequences: false)
        let count = lines.count
        lines.removeAll { $0.hasPrefix("import ") && $0 != "import Combine" }
        #expect(lines.count < count)
        let result = try SwiftCompiler(
            "import EarshotKit\n" + lines.joined(separator: "\n"), languageMode: mode)
        #expect(result.accepts, "\(result.messages)")
    }

    /// Invalid programs fail to compile for the right reason.
    @Test(
        arguments: [
            ("SlicesWithoutTry", "call can throw, but the error is not handled"),
            ("SubscriptWithoutCast", "cannot convert value of type 'Any' to specified type 'String'"),
            ("SignatureOfNothing", "missing argument for parameter"),
            ("AbstractCatalog", "initializer is inaccessible"),
            ("LimitsOfACatalog", "'minimumQuerySignatureDuration' is a get-only property"),
        ], [5, 6])
    func invalidProgramsDoNotCompile(program: (name: String, message: String), mode: Int) throws {
        let result = try SwiftCompiler(source("Refused/\(program.name)"), languageMode: mode)
        #expect(!result.accepts)
        #expect(result.errors.count == 1 && result.errors[0].contains(program.message), "\(result.messages)")
    }

    /// Swift 6 refuses to share a generator between tasks.
    @Test func generatorsAreNotSendable() throws {
        let source = try source("Refused/SendableGenerator")
        let result = try SwiftCompiler(source, languageMode: 6)
        #expect(!result.accepts)
        #expect(
            result.errors.count == 1
                && result.errors[0].contains("does not conform to the 'Sendable' protocol"),
            "\(result.messages)")
        #expect(
            try SwiftCompiler(
                source.replacing("SHSignatureGenerator", with: "SHCustomCatalog"), languageMode: 6
            ).accepts)
    }
}
