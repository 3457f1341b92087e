import Foundation
import SystemIO

/// Downloads the packages of a corpus into the cache, without privileges.
///
/// Each package is downloaded and unpacked beside its place in the cache. Files move into place one by one after
/// their checksum was verified. So the cache never holds a wrong or half a file, an interrupted fetch continues, and
/// two processes may fetch at once. Files that no pattern names are removed.
package struct CorpusFetcher: Sendable {
    package enum Progress: Sendable {
        case present(package: String, files: Int)
        /// The bytes so far and, if known, in total.
        case downloading(package: String, bytes: Int, total: Int?)
        case unpacking(package: String)
        case installed(package: String, files: Int)
    }

    package let library: CorpusLibrary
    package let source: any PackageSource
    private let progress: @Sendable (Progress) -> Void

    package init(
        library: CorpusLibrary, source: any PackageSource = AptPackageSource(),
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.library = library
        self.source = source
        self.progress = progress
    }

    /// Fetches the locked files that the cache lacks; does nothing for synthetic corpora.
    ///
    /// - Throws: ``CorpusError``: `unavailable` without the tools or the network, `checksumMismatch` when a package
    ///   holds other files than were locked.
    package func fetch(_ recipe: CorpusRecipe) async throws {
        let lock = try library.lock(of: recipe)
        for package in recipe.packages {
            let files = lock.packaged.filter { $0.package == package.name }
            if try await bring(package.name, files: files, version: lock.versions[package.name]) {
                progress(.installed(package: package.name, files: files.count))
            } else {
                progress(.present(package: package.name, files: files.count))
            }
        }
    }

    private func bring(_ package: String, files: [CorpusLock.Input], version: String?) async throws -> Bool {
        func isComplete() -> Bool {
            files.allSatisfy { Digest.sha256(ofFile: library.path(of: $0)) == $0.sha256 }
        }
        if isComplete() { return false }
        return try await withLock(on: package) {
            // Another process may have brought it while this one waited.
            if isComplete() { return false }
            try await withUnpacked(package, version: version) { tree, offered in
                try verify(files, package: package, locked: version, offered: offered, tree: tree)
                for file in files { try install(file.path, of: package, from: tree) }
            }
            return true
        }
    }

    /// Fetches what the recipe's patterns match now, without checks, to make a new lock.
    ///
    /// - Returns: The version of each package, and the paths of its files.
    package func fetchUnlocked(_ recipe: CorpusRecipe) async throws -> [String: (
        version: String, paths: [String]
    )] {
        var found: [String: (version: String, paths: [String])] = [:]
        for package in recipe.packages {
            found[package.name] = try await withLock(on: package.name) {
                try await withUnpacked(package.name, version: nil) { tree, offered in
                    let paths = try FileTree.regularFiles(under: tree).filter { path in
                        package.files.contains { $0.glob.matches(path) }
                    }
                    for set in package.files where !paths.contains(where: set.glob.matches) {
                        throw CorpusError(
                            .unreadable, "\(package.name) \(offered): no file fits the pattern \(set.glob)")
                    }
                    for path in paths { try install(path, of: package.name, from: tree) }
                    return (offered, paths)
                }
            }
            progress(.installed(package: package.name, files: found[package.name]?.paths.count ?? 0))
        }
        return found
    }

    private var folder: String { "\(library.cacheFolder)/packages" }

    private func withLock<T>(on package: String, _ body: () async throws -> T) async throws -> T {
        try FileTree.createFolder(folder)
        let lock = try await Self.lock("\(folder)/.\(package).lock")
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    /// Waits up to two hours.
    private static func lock(_ path: String) async throws -> FileLock {
        for _ in 0..<36_000 {
            do {
                return try FileLock(path)
            } catch FileLock.Failure.cannotOpen(let code) {
                throw CorpusError(.unreadable, "\(path): \(String(cString: strerror(code)))")
            } catch {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        throw CorpusError(.busy, "\(path): another process has held this lock for two hours")
    }

    private func withUnpacked<T>(
        _ package: String, version: String?, _ body: (_ tree: String, _ offered: String) throws -> T
    ) async throws -> T {
        let work = "\(folder)/.\(package).partial"
        let tree = work + "/tree"
        // The package file of an interrupted run is kept and continued; its unpacked tree is not.
        FileTree.remove(tree)
        try FileTree.createFolder(work)
        let file = try await source.download(package, version: version, into: work) { bytes, total in
            progress(.downloading(package: package, bytes: bytes, total: total))
        }
        // Whatever becomes of a whole package file, it is not needed again.
        defer { FileTree.remove(work) }
        progress(.unpacking(package: package))
        try FileTree.createFolder(tree)
        let unpack = ChildTool(name: "dpkg-deb", failure: .unreadable)
        let offered = try await unpack.run(["--field", file, "Version"], in: "/")
        _ = try await unpack.run(["--extract", file, tree], in: "/")
        return try body(tree, offered.split(separator: "\n").first.map(String.init) ?? "unknown")
    }

    private func verify(
        _ files: [CorpusLock.Input], package: String, locked: String?, offered: String, tree: String
    ) throws {
        var wrong: [String] = []
        for file in files {
            let found = Digest.sha256(ofFile: "\(tree)/\(file.path)")
            if found == file.sha256 { continue }
            wrong.append("\(file.path): expected SHA-256 \(file.sha256), found \(found ?? "no such file")")
        }
        guard let first = wrong.first else { return }
        var text = "\(package) \(offered): \(first)"
        if wrong.count > 1 { text += " (and \(wrong.count - 1) more files)" }
        if let locked, locked != offered { text += "; the lock was made from version \(locked)" }
        throw CorpusError(.checksumMismatch, text)
    }

    private func install(_ path: String, of package: String, from tree: String) throws {
        let target = library.folder(ofPackage: package) + "/" + path
        try FileTree.createFolder(String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)]))
        try FileTree.move("\(tree)/\(path)", to: target)
    }
}
