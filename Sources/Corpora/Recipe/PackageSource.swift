import Foundation

package protocol PackageSource: Sendable {
    /// Downloads one package file into `folder`.
    ///
    /// - Parameters:
    ///   - version: The wanted version. Another one is taken if it is no longer offered.
    ///   - progress: Receives the bytes so far and, if known, those expected.
    /// - Returns: The path of the package file.
    /// - Throws: ``CorpusError`` with code `unavailable` when it cannot be downloaded.
    func download(
        _ package: String, version: String?, into folder: String,
        progress: @escaping @Sendable (_ bytes: Int, _ total: Int?) -> Void
    ) async throws -> String
}

/// The Debian archive, through `apt-get download`, which needs no privileges and checks signatures.
package struct AptPackageSource: PackageSource {
    private let command: String
    private var tool: ChildTool { ChildTool(name: command, failure: .unavailable) }

    package init(command: String = "apt-get") { self.command = command }

    package func download(
        _ package: String, version: String?, into folder: String,
        progress: @escaping @Sendable (_ bytes: Int, _ total: Int?) -> Void
    ) async throws -> String {
        var specification = package
        var offer: (file: String, bytes: Int)?
        if let version {
            offer = try? await self.offer("\(package)=\(version)")
            if offer != nil { specification = "\(package)=\(version)" }
        }
        let known: (file: String, bytes: Int)
        if let offer { known = offer } else { known = try await self.offer(package) }
        let path = "\(folder)/\(known.file)"
        let wanted = specification
        progress(0, known.bytes)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try await tool.run(["-q", "download", wanted], in: folder)
                return true
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(250))
                    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                    if let bytes = attributes?[.size] as? Int { progress(bytes, known.bytes) }
                }
                return false
            }
            while let isDownload = try await group.next(), !isDownload {}
            group.cancelAll()
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw CorpusError(.unavailable, "\(command) download \(wanted) left no file \(known.file)")
        }
        return path
    }

    private func offer(_ specification: String) async throws -> (file: String, bytes: Int) {
        let unknown = CorpusError(
            .unavailable, "\(command) knows of no file for \(specification); try `apt-get update`")
        let output: String
        do {
            output = try await tool.run(["-q", "download", "--print-uris", specification], in: "/")
        } catch let error where "\(error)".contains("Unable to locate package") {
            // A machine without lists of packages.
            throw unknown
        }
        // 'http://…/name_1%3a2.deb' name_1%3a2.deb 12345 SHA256:…
        for line in output.split(separator: "\n") where line.hasPrefix("'") {
            let fields = line.split(separator: " ")
            if fields.count >= 3, let bytes = Int(fields[2]), !fields[1].contains("/") {
                return (String(fields[1]), bytes)
            }
        }
        throw unknown
    }
}

/// A folder of package files, for machines without a network.
package struct FolderPackageSource: PackageSource {
    package let path: String

    package init(path: String) { self.path = path }

    package func download(
        _ package: String, version: String?, into folder: String,
        progress: @escaping @Sendable (_ bytes: Int, _ total: Int?) -> Void
    ) async throws -> String {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw CorpusError(.unavailable, "\(path): \(error.localizedDescription)")
        }
        let candidates = files.filter { $0.hasPrefix(package + "_") && $0.hasSuffix(".deb") }.sorted()
        // apt writes the colon of an epoch as %3a in file names.
        let wanted = version.map { "\(package)_\($0.replacing(":", with: "%3a"))_" }
        guard let file = candidates.last(where: { wanted.map($0.hasPrefix) ?? false }) ?? candidates.last
        else {
            throw CorpusError(.unavailable, "\(path): there is no file \(package)_VERSION_ARCHITECTURE.deb")
        }
        let target = "\(folder)/\(file)"
        do {
            try? FileManager.default.removeItem(atPath: target)
            try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: target)
        } catch {
            throw CorpusError(.unreadable, "\(path)/\(file): \(error.localizedDescription)")
        }
        return target
    }
}
