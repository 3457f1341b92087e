import Foundation

extension CorpusLibrary {
    /// The path of the plan called `name` beside the recipes, or of the file that `name` is.
    ///
    /// - Throws: ``ConfigurationError`` when there is neither, listing the plans there are.
    package func planPath(_ name: String) throws -> String {
        let folder = recipeFolder + "/Plans"
        let named = "\(folder)/\(name).yaml"
        if FileManager.default.fileExists(atPath: named) { return named }
        if FileManager.default.fileExists(atPath: name) { return name }
        let plans = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
        throw ConfigurationError(
            file: name, line: nil,
            message: "no such plan or file; plans are: \(plans.joined(separator: ", "))")
    }
}
