import AudioCore
import AudioIO
import Corpora
import Foundation
import Matchers
import SystemIO
import TestSupport

/// A folder of recipes, a cache and a folder of real Debian packages, all temporary.
final class CorpusFixture {
    let folder: TemporaryFolder
    let library: CorpusLibrary
    let packages: String

    init() throws {
        folder = try TemporaryFolder()
        packages = try folder.makeFolder("packages")
        library = try CorpusLibrary(
            recipeFolder: folder.makeFolder("Corpora"), cacheFolder: folder.makeFolder("cache"))
    }

    var source: FolderPackageSource { FolderPackageSource(path: packages) }

    func recipe(_ name: String, _ text: String) throws -> CorpusRecipe {
        try AtomicFile.write(text, to: "\(library.recipeFolder)/\(name).yaml")
        return try library.recipe(named: name)
    }

    /// A recipe of one package `tune-music`, which has two files to fetch and others.
    func tuneRecipe() throws -> CorpusRecipe {
        try recipe(
            "tunes",
            """
            description: Two tunes.
            licence: none
            minimumSeconds: 0.5
            packages:
              - name: tune-music
                files: [usr/share/tunes/*.wav]
            """)
    }

    /// Builds `tune-music` of a version; `changed` alters one sample of the second tune.
    func buildTunes(version: String = "1:1.0-1", changed: Bool = false) throws {
        var second = TestSignals.noise(seed: 2, seconds: 1, sampleRate: 8000).samples
        if changed { second[17] += 0.25 }
        try buildPackage(
            "tune-music", version: version,
            files: [
                "usr/share/tunes/first.wav": AudioFile.encode(
                    TestSignals.noise(seed: 1, seconds: 1, sampleRate: 8000), as: wav),
                "usr/share/tunes/second.wav": AudioFile.encode(
                    AudioBuffer(samples: second, sampleRate: 8000), as: wav),
                "usr/share/doc/tune-music/readme.txt": Array("not audio".utf8),
            ])
    }

    func lock(_ recipe: CorpusRecipe, matcher: (any Matcher)? = nil) async throws -> CorpusLock {
        let fetcher = CorpusFetcher(library: library, source: source)
        let lock = try await CorpusLocker(fetcher: fetcher).lock(recipe, matcher: matcher).lock
        try AtomicFile.write(lock.text, to: library.lockPath(named: recipe.name))
        return lock
    }

    func emptyCache() { try? FileManager.default.removeItem(atPath: library.cacheFolder) }

    /// Every file in the cache below `packages`, also in hidden temporary folders.
    func cachedFiles() -> [String] {
        let root = library.cacheFolder + "/packages"
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue && !path.hasSuffix(".lock")
        }.sorted()
    }

    /// Builds a real package with `dpkg-deb`.
    func buildPackage(_ name: String, version: String, files: [String: [UInt8]]) throws {
        let tree = folder.file("tree-\(name)")
        try? FileManager.default.removeItem(atPath: tree)
        let control =
            "Package: \(name)\nVersion: \(version)\nArchitecture: all\nMaintainer: A Test <a@example.org>\n"
        var contents = files
        contents["DEBIAN/control"] = Array((control + "Description: music for a test\n").utf8)
        for (path, bytes) in contents {
            let target = "\(tree)/\(path)"
            let parent = URL(fileURLWithPath: target).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: target))
        }
        let file = "\(packages)/\(name)_\(version.replacing(":", with: "%3a"))_all.deb"
        let build = Process()
        build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        build.arguments = ["dpkg-deb", "-Znone", "--root-owner-group", "--build", tree, file]
        build.standardOutput = FileHandle.nullDevice
        try build.run()
        build.waitUntilExit()
        guard build.terminationStatus == 0 else { throw CorpusError(.unavailable, "dpkg-deb failed") }
    }

    private var wav: AudioEncoding {
        get throws {
            guard let encoding = AudioEncoding("wav-pcm16") else { throw CorpusError(.unreadable, "no WAV") }
            return encoding
        }
    }
}
