import Evaluation
import Foundation
import SystemIO

/// Minimised cases in a folder, one JSON file each, written whole or not at all.
package struct CaseFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    func make() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path + "/cases", withIntermediateDirectories: true)
        } catch {
            throw StoreError(path: path, message: "the folder cannot be made: \(error.localizedDescription)")
        }
    }

    /// All stored cases, by the names of the files.
    ///
    /// - Throws: ``StoreError`` when there is none, or one cannot be read.
    package func all() throws -> [MinimisedCase] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path + "/cases")) ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        guard !names.isEmpty else {
            throw StoreError(
                path: path, message: "holds no minimised case")
        }
        return try names.map { try read("\(path)/cases/\($0)") }
    }

    func known(_ trialID: String) throws -> MinimisedCase? {
        let file = file(trialID)
        return FileManager.default.fileExists(atPath: file) ? try read(file) : nil
    }

    func keep(_ one: MinimisedCase) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try AtomicFile.write(
            String(decoding: encoder.encode(one), as: UTF8.self) + "\n", to: file(one.trialID))
    }

    private func file(_ trialID: String) -> String {
        "\(path)/cases/\(trialID.replacing("/", with: "_")).json"
    }

    private func read(_ file: String) throws -> MinimisedCase {
        do {
            return try JSONDecoder().decode(
                MinimisedCase.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        } catch {
            throw StoreError(path: file, message: "is no minimised case of this version: \(error)")
        }
    }
}
