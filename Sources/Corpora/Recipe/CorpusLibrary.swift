import Degradations
import Foundation
import SystemIO

/// The folder of recipes and plans, and the folder of fetched recordings.
public struct CorpusLibrary: Sendable {
    /// The folder of recipes and plans.
    public let recipeFolder: String
    /// The folder of fetched audio, laid out as `packages/PACKAGE/PATH`.
    public let cacheFolder: String
    /// How recordings of folders are compared; nil prevents opening folders.
    package var comparison: FolderComparison?
    /// The program that applies degradations of the user's own; nil if there is none.
    package var degradations: (any DegradationProgram)?
    /// Whether queries may be cut from a corpus that is an exam.
    package var opensExams = false

    /// Chooses the folders.
    ///
    /// - Parameters:
    ///   - recipeFolder: Nil looks at `EARSHOT_CORPORA`, then for a folder `Corpora` or `share/earshot/Corpora` beside
    ///     the working directory or the executable, or in any folder above those.
    ///   - cacheFolder: Nil takes `$XDG_CACHE_HOME/earshot`, else `~/.cache/earshot`.
    /// - Throws: ``CorpusError`` with code `unknownCorpus` when there is no folder of recipes.
    public init(recipeFolder: String? = nil, cacheFolder: String? = nil) throws {
        let environment = ProcessInfo.processInfo.environment
        self.recipeFolder = try recipeFolder ?? Self.findRecipes(environment["EARSHOT_CORPORA"])
        self.cacheFolder = cacheFolder ?? Self.standardCacheFolder
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: self.recipeFolder, isDirectory: &isFolder),
            isFolder.boolValue
        else { throw CorpusError(.unknownCorpus, "\(self.recipeFolder): there is no such folder of recipes") }
    }

    package func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: recipeFolder)
                .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
        } catch {
            throw CorpusError(.unknownCorpus, "\(recipeFolder): \(error.localizedDescription)")
        }
    }

    /// The recipe of a corpus; a name with a slash is the path of a folder.
    package func recipe(named name: String) throws -> CorpusRecipe {
        if name.contains("/") { return CorpusRecipe(folder: name) }
        let known = try names()
        guard known.contains(name) else {
            throw CorpusError(
                .unknownCorpus,
                "there is no corpus \"\(name)\" in \(recipeFolder); known are: \(known.joined(separator: ", "))\(known.suggestion(for: name))"
            )
        }
        return try CorpusRecipe(path: "\(recipeFolder)/\(name).yaml")
    }

    package func lockPath(named name: String) -> String { "\(recipeFolder)/\(name).lock" }

    /// The lock of a corpus, checked against its recipe; that of a folder is made when it is first needed.
    ///
    /// - Throws: ``CorpusError`` with code `notLocked` when there is none or it is older than the recipe,
    ///   ``ConfigurationError`` when recipe or lock are wrong.
    package func lock(of recipe: CorpusRecipe) throws -> CorpusLock {
        if let folder = recipe.folder {
            return try CorpusLock(text: folderLock(of: recipe, folder).kept.text, name: folder.path)
        }
        let path = lockPath(named: recipe.name)
        guard FileManager.default.fileExists(atPath: path) else {
            throw CorpusError(
                .notLocked, "\(path) is missing", corpus: recipe.name)
        }
        let lock = try CorpusLock(path: path)
        if let difference = lock.difference(from: recipe) {
            throw CorpusError(
                .notLocked,
                "\(path) does not go with its recipe (\(difference))", corpus: recipe.name)
        }
        return lock
    }

    /// The folder of the unpacked package in the cache.
    package func folder(ofPackage package: String) -> String { "\(cacheFolder)/packages/\(package)" }

    package func path(of file: CorpusLock.File) -> String {
        folder(ofPackage: file.package) + "/" + file.path
    }

    package func path(of input: CorpusLock.Input) -> String {
        folder(ofPackage: input.package) + "/" + input.path
    }

    /// `$XDG_CACHE_HOME/earshot`, else `~/.cache/earshot`.
    package static var standardCacheFolder: String {
        // An empty or relative value counts as unset (XDG Base Directory Specification 0.8).
        let base = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"]
        if let base, base.hasPrefix("/") { return base + "/earshot" }
        return NSHomeDirectory() + "/.cache/earshot"
    }

    private static func findRecipes(_ override: String?) throws -> String {
        if let override, !override.isEmpty { return override }
        let starts = [
            FileManager.default.currentDirectoryPath,
            Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path ?? "/",
        ]
        for start in starts {
            var folder = URL(fileURLWithPath: start, isDirectory: true).standardizedFileURL
            while true {
                // The second is where `scripts/install.sh` installs them.
                for place in ["Corpora", "share/earshot/Corpora"] {
                    let candidate = folder.appendingPathComponent(place).path
                    if FileManager.default.fileExists(atPath: candidate + "/README.md") { return candidate }
                }
                if folder.path == "/" { break }
                folder = folder.deletingLastPathComponent()
            }
        }
        throw CorpusError(
            .noRecipes, "no folder `Corpora` here or above")
    }
}

extension CorpusLibrary {
    package func planNames() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: recipeFolder + "/Plans")) ?? [])
            .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// The path of the plan called `name` beside the recipes, or of the file that `name` is.
    ///
    /// - Throws: ``ConfigurationError`` when there is neither, listing the plans there are.
    public func planPath(_ name: String) throws -> String {
        let folder = recipeFolder + "/Plans"
        let named = "\(folder)/\(name).yaml"
        if FileManager.default.fileExists(atPath: named) { return named }
        if FileManager.default.fileExists(atPath: name) { return name }
        let plans = planNames()
        throw ConfigurationError(
            file: name,
            message:
                "no such plan or file; plans are: \(plans.joined(separator: ", "))\(plans.suggestion(for: name))"
        )
    }
}
