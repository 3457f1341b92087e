import Fingerprinting
import Foundation
import TestSupport
import Testing

/// The article Compatibility promises nothing that no test or script holds.
struct CompatibilityArticleTests {
    private static let text =
        (try? String(
            contentsOfFile: PackageFolder.path
                + "/Sources/Fingerprinting/Fingerprinting.docc/Compatibility.md", encoding: .utf8)) ?? ""

    /// The list items and the rows of tables, each on one line, without heads of tables and figures.
    private static let promises: [String] = {
        let prose = text.replacing(/(?s)<!-- versions:begin -->.*?<!-- versions:end -->/, with: "")
        let lines = prose.replacing("\n  ", with: " ").split(separator: "\n").map(String.init)
        return lines.filter { $0.hasPrefix("- ") || $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
            .filter { !$0.hasSuffix("held by |") && !$0.hasSuffix("what holds it |") }
    }()

    /// The names of everything in the folders of tests and scripts.
    private static let holders: Set<String> = {
        let folders = ["Tests", "scripts", "python/tests"]
        let paths = folders.flatMap { folder in
            FileManager.default.enumerator(atPath: PackageFolder.path + "/" + folder)?
                .compactMap { $0 as? String } ?? []
        }
        return Set(paths.map { ($0 as NSString).lastPathComponent.replacing(".swift", with: "") })
    }()

    @Test("Each promise names a test or a script that exists")
    func promisesAreHeld() {
        #expect(Self.promises.count > 20)
        for promise in Self.promises {
            let names = promise.matches(of: /`(?:scripts\/)?(\w+Tests|[\w-]+\.(?:py|sh))[^`]*`/).map {
                String($0.1)
            }
            #expect(!names.isEmpty, "\(promise)")
            for name in names { #expect(Self.holders.contains(name), "\(name) is missing") }
        }
    }

    @Test("The numbers of formats are those of the code")
    func numbersAreThose() {
        #expect(Self.text.contains("| catalog, `.earcatalog` | \(CatalogFile.currentVersion) | 4 |"))
        #expect(Self.text.contains("| signature, `.earsignature` | \(Signature.currentVersion) | 3 |"))
    }
}
