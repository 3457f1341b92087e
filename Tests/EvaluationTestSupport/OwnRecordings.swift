import AudioCore
import AudioIO
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Synchronization
import SystemIO
import TestSupport

/// A folder of synthetic music, with a library that can open it.
package final class OwnRecordings {
    package let folder: TemporaryFolder
    package let music: String
    package let library: CorpusLibrary
    package let said = Said()

    package final class Said: Sendable {
        private let lines: Mutex<[String]> = Mutex([])
        package var all: [String] { lines.withLock { $0 } }
        package init() {}
        package func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    package init() throws {
        folder = try TemporaryFolder()
        music = try folder.makeFolder("music")
        library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.makeFolder("cache"))
    }

    private static let pieces: Mutex<[UInt64: AudioBuffer]> = Mutex([:])

    package static func piece(_ seed: UInt64, seconds: Double = 12) -> AudioBuffer {
        if let known = pieces.withLock({ $0[seed] }), known.durationSeconds == seconds { return known }
        let audio = SyntheticMusic(seed: 900 + seed, seconds: seconds).render()
        pieces.withLock { $0[seed] = audio }
        return audio
    }

    /// Writes audio to a path below the folder.
    package func write(_ audio: AudioBuffer, as encoding: String = "wav-pcm16", to path: String) throws {
        guard let encoding = AudioEncoding(encoding) else { throw CorpusError(.unreadable, encoding) }
        try write(AudioFile.encode(audio, as: encoding), to: path)
    }

    package func write(_ bytes: [UInt8], to path: String) throws {
        let target = URL(fileURLWithPath: "\(music)/\(path)")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: target)
    }

    package func corpus(_ path: String? = nil, isComparing: Bool = true) throws -> Corpus {
        var library = library
        if isComparing { library.comparison = comparison }
        return try Corpus.open(named: path ?? music, in: library)
    }

    /// The folder as the source of a recipe called `mine`, with more lines of the recipe.
    package func corpus(recipe lines: String) throws -> Corpus {
        let recipes = folder.file("Corpora")
        try FileManager.default.createDirectory(atPath: recipes, withIntermediateDirectories: true)
        try AtomicFile.write(
            "description: Mine.\nlicence: mine\nfolder: ../music\n\(lines)\n", to: recipes + "/mine.yaml")
        var library = try CorpusLibrary(recipeFolder: recipes, cacheFolder: self.library.cacheFolder)
        library.comparison = comparison
        return try Corpus.open(named: "mine", in: library)
    }

    package var comparison: FolderComparison {
        FolderComparison(matcher: { Contestants.auditor() }) { [said] in said.add($0) }
    }

    package static func plan(_ corpus: Corpus) throws -> Plan {
        let text = """
            name: own
            corpus: synthetic
            seed: 3
            positives: 4
            negatives: 4
            lengthSeconds: 3
            latencyTrials: 0
            families:
              - name: clean
              - name: long
                lengthSeconds: 60
            """
        let library = try CorpusLibrary(recipeFolder: PackageFolder.path + "/Corpora")
        return try Plan(
            file: PlanFile(text: text, name: "own.yaml"), corpus: corpus,
            material: CorpusMaterial(library: library, music: nil))
    }
}
