import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO
import TestSupport
import Testing

/// The plan `ladder` and its corpus, from the lock alone: empty files replace scores and fonts.
@Suite struct LadderTests {
    private let folder: TemporaryFolder
    private let library: CorpusLibrary
    private let recipe: CorpusRecipe
    private let lock: CorpusLock

    init() throws {
        folder = try TemporaryFolder()
        library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: folder.file("cache"))
        recipe = try library.recipe(named: "renditions")
        lock = try library.lock(of: recipe)
        try lock.makeEmptyFiles(in: library)
    }

    private func plan(_ half: CorpusHalf) throws -> Plan {
        try RunRequest(plan: "ladder", half: half).open(in: library).plan
    }

    private func pieces(_ half: CorpusHalf) -> Set<String> {
        Set(lock.files.compactMap(\.place).filter { $0.half == half }.map(\.piece))
    }

    @Test func halvesShareNoPieceAndNoFont() throws {
        let (tuning, test) = (pieces(.tuning), pieces(.test))
        #expect(tuning.count >= 30 && test.count >= 30 && tuning.isDisjoint(with: test))
        let halves = try #require(recipe.renditions).halves
        let fonts = halves.mapValues { Set([$0.font, $0.otherFont]) }
        let (one, other) = (try #require(fonts[.tuning]), try #require(fonts[.test]))
        #expect(one.count == 2 && other.count == 2 && one.isDisjoint(with: other))
        // Equal samples would be one recording under two names.
        let digests = lock.files.map(\.sha256)
        #expect(Set(digests).count == digests.count)
        #expect(lock.versions["fluidsynth"] != nil)
    }

    @Test(arguments: CorpusHalf.allCases) func queriesAreOfTheirHalf(half: CorpusHalf) throws {
        let plan = try plan(half)
        let sources = Set(plan.trials.compactMap(\.source).map(RenditionPlace.piece))
        #expect(sources == pieces(half))
        #expect(plan.references(leavingOut: nil).allSatisfy { $0.rendition == .reference })
    }

    @Test(arguments: CorpusHalf.allCases) func everyRungHasEveryPieceOnce(half: CorpusHalf) throws {
        let cells = Dictionary(grouping: try plan(half).trials, by: \.cell)
        #expect(Set(cells.keys.map(\.rung)) == Set(Rung.allCases))
        for (cell, trials) in cells {
            let rung = try #require(cell.rung)
            #expect(trials.allSatisfy { $0.isPositive == rung.isSameRecording })
            #expect(trials.count == pieces(half).count)
            #expect(Set(trials.compactMap(\.source)).count == trials.count, "\(cell.slug)")
            let suffix = "@\(rung.rendition.rawValue)"
            #expect(trials.allSatisfy { $0.source?.hasSuffix(suffix) ?? false }, "\(cell.slug)")
        }
    }

    /// No reference is right below "same recording", and there only the piece's own.
    @Test func noRelatedReferenceIsRight() throws {
        let plan = try plan(.test)
        let tracks = Dictionary(uniqueKeysWithValues: plan.corpus.tracks.map { ($0.id, $0) })
        for trial in plan.trials {
            let record = try TrialRecord(trial, query: nil, tracks: tracks)
            let source = try #require(trial.source)
            let own = "\(RenditionPlace.piece(of: source))@reference"
            let isSame = try #require(trial.cell.rung).isSameRecording
            #expect(record.truthReferences == (isSame ? [own] : []), "\(trial.id)")
            #expect(RenditionPlace.piece(of: record.sourceClass) == RenditionPlace.piece(of: source))
        }
    }

    @Test func onlyUnrelatedMusicIsAskedWithoutItsPiece() throws {
        let plan = try plan(.test)
        for trial in plan.trials {
            let rung = try #require(trial.cell.rung)
            let enrolled = Set(plan.references(leavingOut: trial.fold).map(\.id))
            let own = "\(RenditionPlace.piece(of: try #require(trial.source)))@reference"
            #expect(enrolled.contains(own) != rung.leavesOutPiece, "\(trial.id)")
        }
    }

    @Test(arguments: [
        ("rung: cousin", "unrelated"), ("rung: unrelated", "negativeFolds"),
        ("{rung: edit, source: silence}", "silence"),
    ])
    func aWrongRungIsAnError(text: String, expected: String) {
        let inner = text.hasPrefix("{") ? String(text.dropFirst().dropLast()) : text
        let plan = """
            name: t
            corpus: renditions
            seed: 1
            positives: 1
            negatives: 1
            families: [{name: a, \(inner)}]
            """
        #expect {
            try PlanFile(text: plan, name: "t.yaml")
        } throws: { error in
            "\(error)".contains(expected) && "\(error)".contains("t.yaml:")
        }
    }

    private static let recipeText = """
        description: d
        licence: l
        renditions:
          seconds: 36
          tuning:
            font: {package: aa, file: a.sf2}
            otherFont: {package: bb, file: b.sf2}
            scores: [{name: ss, files: [one/*.mid]}]
          test:
            font: {package: cc, file: c.sf2}
            otherFont: {package: dd, file: d.sf2}
            scores: [{name: ss, files: [two/*.mid]}]
        """

    @Test func aRecipeNamesEachPackageOnce() throws {
        let recipe = try CorpusRecipe(YAMLReader(text: Self.recipeText, name: "t.yaml"), name: "t")
        #expect(recipe.packages.map(\.name) == ["aa", "bb", "cc", "dd", "ss"])
        #expect(recipe.fileSet(package: "ss", path: "two/x.mid") != nil)
    }

    @Test(arguments: [
        ("seconds: 36", "seconds: 4", "16 to 600"), ("file: d.sf2", "file: '*.sf2'", "one file"),
        ("{package: dd, file: d.sf2}", "{package: aa, file: a.sf2}", "different sound fonts"),
        ("package: cc", "package: ../cc", "Debian package"), ("file: c.sf2", "file: ../c.sf2", "relative"),
        ("scores: [{name: ss, files: [two/*.mid]}]", "scores: []", "at least one package"),
        ("  test:", "  testing:", "test"),
    ])
    func aWrongRecipeIsAnError(part: String, wrong: String, expected: String) {
        let text = Self.recipeText.replacing(part, with: wrong)
        #expect {
            try CorpusRecipe(YAMLReader(text: text, name: "t.yaml"), name: "t")
        } throws: { error in
            "\(error)".contains(expected) && "\(error)".contains("t.yaml:")
        }
    }

    /// The path in the lock holds all that a recording is made from.
    @Test func placesReadBack() {
        for file in lock.files {
            let place = file.place
            #expect(place?.description == file.path && place?.id == file.id)
        }
        for text in ["test/a/b", "best/a/b@mix", "test/a@mix", "test/a/b@blend", ""] {
            #expect(RenditionPlace(text) == nil)
        }
    }
}

extension CorpusLock {
    /// Makes files of the right size and without content in place of those of packages.
    func makeEmptyFiles(in library: CorpusLibrary) throws {
        for input in packaged {
            let url = URL(fileURLWithPath: library.path(of: input))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(input.byteCount))
            try handle.close()
        }
    }
}
