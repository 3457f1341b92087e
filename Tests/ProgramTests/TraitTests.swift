import Foundation
import TestSupport
import Testing

/// Programs may leave out the traits of the package, whose code is never built beside the tests.
struct TraitTests {
    /// The traits that `#if` in EarshotKit names, but not all of them: with all it is built.
    @Test(arguments: [[], ["Online"]])
    func kitCompilesWithTraits(_ traits: [String]) throws {
        let sources = PackageFolder.path + "/Sources/EarshotKit"
        let paths = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
        let files = paths.filter { $0.hasSuffix(".swift") }.map { "\(sources)/\($0)" }
        #expect(files.count > 50)
        // The package manager names a package after its folder.
        let package = URL(fileURLWithPath: PackageFolder.path).lastPathComponent.lowercased().enumerated()
            .map { $1.isLetter || $1.isNumber && $0 > 0 ? String($1) : "_" }.joined()
        let options =
            ["-module-name", "EarshotKit", "-package-name", package] + traits.flatMap { ["-D", $0] }
        let result = try SwiftCompiler(files: files, languageMode: 6, options: options)
        #expect(result.accepts, "\(traits): \(result.messages)")
    }
}
