import Corpora
import Foundation
import Synchronization
import TestSupport
import Testing

/// A source that stops in the middle of a package file, like a lost connection.
private struct BrokenSource: PackageSource {
    func download(
        _ package: String, version: String?, into folder: String,
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> String {
        try Data("half a pack".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(package)_1_all.deb"))
        throw CorpusError(.unavailable, "the connection was lost")
    }
}

@Suite struct CorpusFetcherTests {
    private let wanted = ["tune-music/usr/share/tunes/first.wav", "tune-music/usr/share/tunes/second.wav"]

    private func code(_ body: () async throws -> Void) async -> CorpusError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CorpusError
        }
    }

    @Test func keepsOnlyTheFilesThatTheRecipeNames() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        let lock = try await fixture.lock(recipe)
        #expect(lock.versions == ["tune-music": "1:1.0-1"])
        #expect(lock.files.map(\.id) == ["tune-music/first.wav", "tune-music/second.wav"])
        #expect(lock.files.map(\.frameCount) == [8000, 8000])
        fixture.emptyCache()
        try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        #expect(fixture.cachedFiles() == wanted)
        let corpus = try Corpus.open(named: "tunes", in: fixture.library)
        try corpus.verify()
        #expect(try corpus.audio(of: corpus.tracks[0]).frameCount == 8000)
    }

    @Test func downloadsNothingThatIsThere() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        // No package is available any longer, and none is needed.
        let empty = FolderPackageSource(path: "/nowhere")
        try await CorpusFetcher(library: fixture.library, source: empty).fetch(recipe)
        try FileManager.default.removeItem(atPath: "\(fixture.library.cacheFolder)/packages/\(wanted[1])")
        let error = await code {
            try await CorpusFetcher(library: fixture.library, source: empty).fetch(recipe)
        }
        #expect(error?.code == .unavailable)
    }

    @Test func repairsACachedFileThatWasDamaged() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        let path = "\(fixture.library.cacheFolder)/packages/\(wanted[0])"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 0x10
        try bytes.write(to: URL(fileURLWithPath: path))
        let corpus = try Corpus.open(named: "tunes", in: fixture.library)
        let error = await code { try corpus.verify() }
        #expect(error?.code == .checksumMismatch)
        #expect(error?.description.contains("usr/share/tunes/first.wav: expected SHA-256") == true)
        try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        try corpus.verify()
    }

    @Test func refusesAPackageWithOtherFilesAndNamesThem() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        let lock = try await fixture.lock(recipe)
        fixture.emptyCache()
        try FileManager.default.removeItem(atPath: "\(fixture.packages)/tune-music_1%3a1.0-1_all.deb")
        try fixture.buildTunes(version: "1:1.1-1", changed: true)
        let error = await code {
            try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        }
        #expect(error?.code == .checksumMismatch)
        let text = error?.description ?? ""
        #expect(
            text.contains(
                "tune-music 1:1.1-1: usr/share/tunes/second.wav: expected SHA-256 \(lock.files[1].sha256)"))
        #expect(text.contains("the lock was made from version 1:1.0-1"))
        #expect(fixture.cachedFiles().isEmpty)
        let opened = await code { _ = try Corpus.open(named: "tunes", in: fixture.library) }
        #expect(opened?.code == .notFetched)
    }

    @Test func takesANewVersionWithTheSameFiles() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        fixture.emptyCache()
        try FileManager.default.removeItem(atPath: "\(fixture.packages)/tune-music_1%3a1.0-1_all.deb")
        try fixture.buildTunes(version: "1:1.0-2")
        try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        #expect(fixture.cachedFiles() == wanted)
    }

    @Test func resumesAfterAnInterruption() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        fixture.emptyCache()
        let error = await code {
            try await CorpusFetcher(library: fixture.library, source: BrokenSource()).fetch(recipe)
        }
        #expect(error?.code == .unavailable)
        #expect(fixture.cachedFiles() == [".tune-music.partial/tune-music_1_all.deb"])
        // The remains of a process that was killed while it unpacked.
        let stale = "\(fixture.library.cacheFolder)/packages/.tune-music.partial/tree/usr/share/tunes"
        try FileManager.default.createDirectory(atPath: stale, withIntermediateDirectories: true)
        try Data("not a wave".utf8).write(to: URL(fileURLWithPath: "\(stale)/first.wav"))
        try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        #expect(fixture.cachedFiles() == wanted)
    }

    @Test func twoFetchesAtOnceBothSucceed() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        fixture.emptyCache()
        let fetcher = CorpusFetcher(library: fixture.library, source: fixture.source)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await fetcher.fetch(recipe) } }
            try await group.waitForAll()
        }
        #expect(fixture.cachedFiles() == wanted)
    }

    /// An invalid package is not "unavailable", which would select another corpus.
    @Test func refusesAFileThatIsNoPackage() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        fixture.emptyCache()
        let path = "\(fixture.packages)/tune-music_1%3a1.0-1_all.deb"
        try Data("no package at all".utf8).write(to: URL(fileURLWithPath: path))
        let error = await code {
            try await CorpusFetcher(library: fixture.library, source: fixture.source).fetch(recipe)
        }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("dpkg-deb") == true)
        #expect(fixture.cachedFiles().isEmpty)
    }

    @Test func saysWhenALockIsMissingOrOld() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        let fetcher = CorpusFetcher(library: fixture.library, source: fixture.source)
        #expect(await code { try await fetcher.fetch(recipe) }?.code == .notLocked)
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        let text = try String(contentsOfFile: "\(fixture.library.recipeFolder)/tunes.yaml", encoding: .utf8)
        let other = try fixture.recipe(
            "tunes", text.replacing("licence: none", with: "licence: none\nrole: negative"))
        let error = await code { try await fetcher.fetch(other) }
        #expect(error?.code == .notLocked)
        #expect(error?.description.contains("the role of tune-music/first.wav") == true)
        let unknown = await code { _ = try fixture.library.recipe(named: "nothing") }
        #expect(unknown?.code == .unknownCorpus)
        #expect(unknown?.description.contains("known are: tunes") == true)
    }
}
