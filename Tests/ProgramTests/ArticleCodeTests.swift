import Foundation
import TestSupport
import Testing

/// The Swift code in articles compiles.
@Suite struct ArticleCodeTests {
    private static let blocks: [(article: String, code: String)] = {
        let sources = PackageFolder.path + "/Sources"
        let paths = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".md") }.sorted().flatMap { path in
            let text = (try? String(contentsOfFile: "\(sources)/\(path)", encoding: .utf8)) ?? ""
            return text.matches(of: #/```swift\n(?<code>.*?)```/#.dotMatchesNewlines())
                .map { (path, String($0.output.code)) }
        }
    }()

    @Test func articlesHaveCode() {
        #expect(Self.blocks.count >= 4)
    }

    /// A block may use the parameters of `article`, which the text around it introduces.
    @Test(arguments: blocks)
    func codeCompiles(article: String, code: String) throws {
        let lines = code.split(separator: "\n")
        let imports = lines.filter { $0.hasPrefix("import ") }
        let rest = lines.filter { !$0.hasPrefix("import ") }
        let result = try SwiftCompiler(
            """
            import EarshotKit
            import Foundation
            \(imports.joined(separator: "\n"))

            func article(
                catalog: SHCustomCatalog, video: URL, query: SHSignature, nextBuffer: () throws -> AVAudioPCMBuffer?
            ) async throws {
            \(rest.joined(separator: "\n"))
            }
            """, languageMode: 6)
        #expect(result.accepts, "\(article): \(result.messages)")
    }
}
