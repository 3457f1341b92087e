import AudioCore
import AudioIO
import Corpora
import Evaluation
import EvaluationTestSupport
import Foundation
import TestSupport
import Testing

@Suite struct FolderCorpusTests {
    /// The queries of a plan, by the content of recordings instead of their names.
    private static func contents(of plan: Plan) throws -> [String] {
        let digests = Dictionary(uniqueKeysWithValues: plan.corpus.lock.files.map { ($0.id, $0.sha256) })
        return plan.trials.map { trial in
            "\(trial.id) \(trial.source.flatMap { digests[$0] } ?? "none") \(trial.startSeed) \(trial.fold ?? -1)"
        }
    }

    @Test func namesPlacesAndCopiesChangeNothing() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<3 { try own.write(OwnRecordings.piece(seed), to: "a/\(seed).wav") }
        let plan = try OwnRecordings.plan(own.corpus())
        let other = try OwnRecordings()
        for seed in UInt64(0)..<3 {
            try other.write(OwnRecordings.piece(seed), to: "\(9 - seed) renamed.wav")
            try other.write(OwnRecordings.piece(seed), to: "copies/\(seed) \"again\".wav")
        }
        let otherPlan = try OwnRecordings.plan(other.corpus())
        #expect(try Self.contents(of: plan) == Self.contents(of: otherPlan))
        #expect(otherPlan.corpus.tracks.count == 3)
        #expect(otherPlan.corpus.notes.contains { $0.contains("duplicates of the files named after them") })
        // The same files in another place are the same corpus.
        let third = try OwnRecordings()
        for seed in UInt64(0)..<3 { try third.write(OwnRecordings.piece(seed), to: "a/\(seed).wav") }
        #expect(try third.corpus().lockDigest == plan.corpus.lockDigest)
    }

    @Test func namesThatAreSwappedGoWithTheirRecordings() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        let before = Dictionary(uniqueKeysWithValues: try own.corpus().lock.files.map { ($0.id, $0.sha256) })
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(1 - seed), to: "\(seed).wav") }
        let corpus = try own.corpus()
        try corpus.verify()
        let after = Dictionary(uniqueKeysWithValues: corpus.lock.files.map { ($0.id, $0.sha256) })
        #expect(after["0.wav"] == before["1.wav"] && after["1.wav"] == before["0.wav"])
    }

    @Test func fewRecordingsAreLeftOutInTurnForNegatives() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<3 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        // The same recording again, as another file: one class.
        try own.write(OwnRecordings.piece(0), as: "flac-16", to: "0 again.flac")
        let plan = try OwnRecordings.plan(own.corpus())
        #expect(Set(plan.corpus.tracks.map(\.classID)).count == 3)
        #expect(plan.corpus.tracks.allSatisfy { $0.isEnrolled })
        let negatives = plan.trials.filter { !$0.isPositive }
        #expect(Set(negatives.compactMap(\.fold)) == [0, 1, 2])
        let classes = Dictionary(uniqueKeysWithValues: plan.corpus.tracks.map { ($0.id, $0.classID) })
        for trial in negatives {
            let source = try #require(trial.source.flatMap { classes[$0] })
            let known = plan.references(leavingOut: trial.fold).map(\.classID)
            #expect(!known.contains(source) && !known.isEmpty, "\(trial.id)")
        }
        #expect(Set(plan.trials.map(\.cell.degradation)) == ["clean"])
        #expect(plan.warnings.contains { $0.contains("long/60s") })
    }

    @Test func unenrolledRecordingsTakeNoTurn() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<3 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        // Whichever of the three is noise, the other two are left out one after the other.
        for noise in 0..<3 {
            let plan = try OwnRecordings.plan(
                own.corpus(recipe: "files: [{glob: \(noise).wav, role: 'noise:music'}, '*.wav']"))
            #expect(plan.folds == [0, 1], "\(noise).wav")
            for fold in plan.folds { #expect(plan.references(leavingOut: fold).count == 1) }
        }
    }

    @Test func oneRecordingHasPositivesOnly() throws {
        let own = try OwnRecordings()
        try own.write(OwnRecordings.piece(1), to: "only.wav")
        let plan = try OwnRecordings.plan(own.corpus())
        #expect(plan.trials.count == 4 && plan.trials.allSatisfy { $0.isPositive })
        #expect(plan.warnings.contains { $0.contains("Silence gives the only negatives") })
    }

    @Test func manyRecordingsAreDividedAsUsual() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<24 {
            try own.write(TestSignals.noise(seed: seed, seconds: 9, sampleRate: 8000), to: "\(seed).wav")
        }
        let corpus = try own.corpus()
        let roles = Dictionary(grouping: corpus.tracks, by: \.role)
        #expect((roles[.negative]?.count ?? 0) >= 2)
        #expect((roles[.enrolled(.tuning)]?.count ?? 0) >= 3 && (roles[.enrolled(.test)]?.count ?? 0) >= 3)
        let digests = Dictionary(uniqueKeysWithValues: corpus.lock.files.map { ($0.id, $0.sha256) })
        for track in corpus.tracks {
            #expect(track.role == SplitRule.role(ofDigest: try #require(digests[track.classID])))
        }
    }

    @Test func unusableFilesAreNamedAndLeftOut() throws {
        let own = try OwnRecordings()
        let names = [
            "new\nline\ttab.wav", "100%41 of \u{202E}it.wav", "<script>'\"&.wav", "é.wav", "e\u{301}.wav",
        ]
        for (seed, name) in names.enumerated() { try own.write(OwnRecordings.piece(UInt64(seed)), to: name) }
        try own.write(Array("no audio".utf8), to: "text.mp3")
        try own.write([], to: "empty.wav")
        try own.write(OwnRecordings.piece(1), to: ".hidden/1.wav")
        try own.write(TestSignals.noise(seed: 1, seconds: 3, sampleRate: 8000), to: "short.wav")
        try own.write(Array("text".utf8), to: "notes.txt")
        let before = own.contents
        let corpus = try own.corpus()
        #expect(corpus.tracks.count == names.count)
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for track in corpus.tracks {
            // Two names may differ only in how a letter is composed, and are then equal as texts.
            let path = Array(try #require(track.path).utf8)
            let seed = try #require(
                names.firstIndex { path.suffix($0.utf8.count + 1).elementsEqual("/\($0)".utf8) })
            let piece = try AudioFile.decode(
                AudioFile.encode(OwnRecordings.piece(UInt64(seed)), as: wav), name: "piece")
            let isRight = try corpus.audio(of: track).samples == piece.samples
            #expect(isRight, "\(track.id)")
        }
        let notes = corpus.notes.joined(separator: "\n")
        for name in ["text.mp3", "empty.wav", "short.wav", ".hidden", "notes.txt"] {
            #expect(notes.contains(name))
        }
        #expect(own.contents == before)
        try corpus.verify()
    }

    @Test func aLockIsMadeOnceForTheSameContents() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        _ = try own.corpus()
        let first = own.said.all
        #expect(first.contains { $0.hasPrefix("decoding 2") })
        let again = try own.corpus()
        #expect(own.said.all == first)
        try own.write(OwnRecordings.piece(3), to: "1.wav")
        let changed = try own.corpus()
        #expect(changed.lockDigest != again.lockDigest)
        #expect(own.said.all.contains { $0.hasPrefix("read 1 of 1") })
    }

    /// As `cp --preserve` and some programs that restore backups leave files.
    @Test(arguments: [false, true])
    func anotherContentOfEqualSizeAndTimeIsReadAgain(_ isReplaced: Bool) throws {
        let own = try OwnRecordings()
        func write(_ seed: UInt64) throws {
            let path = own.music + "/only.wav"
            if isReplaced { try? FileManager.default.removeItem(atPath: path) }
            let encoding = try #require(AudioEncoding("wav-pcm16"))
            let bytes = try AudioFile.encode(OwnRecordings.piece(seed), as: encoding)
            // In place: only the time of status change differs.
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: [])
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: path)
        }
        try write(1)
        let before = try own.corpus()
        #expect(try own.corpus().lockDigest == before.lockDigest)
        try write(2)
        let after = try own.corpus()
        #expect(after.lockDigest != before.lockDigest)
        #expect(after.lock.files.map(\.byteCount) == before.lock.files.map(\.byteCount))
    }

    @Test func aCacheThatCannotBeWrittenIsSaidBeforeTheWork() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        var library = try CorpusLibrary(
            recipeFolder: PackageFolder.path + "/Corpora", cacheFolder: "/dev/null/none")
        library.comparison = own.comparison
        #expect(try Corpus.open(named: own.music, in: library).tracks.count == 2)
        let words = "/dev/null/none/folders cannot be written"
        let warning = try #require(own.said.all.firstIndex { $0.contains(words) })
        let work = try #require(own.said.all.firstIndex { $0.hasPrefix("decoding") })
        #expect(warning < work)
    }

    @Test func aFileIsReadOnceByAnyPath() throws {
        let own = try OwnRecordings()
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        _ = try own.corpus()
        _ = try own.corpus(own.music + "/../music/")
        // A recipe that takes one of the files keeps the index entry of the other.
        _ = try own.corpus(recipe: "files: [0.wav]")
        try own.write(OwnRecordings.piece(3), to: "0.wav")
        _ = try own.corpus(recipe: "files: [0.wav]")
        _ = try own.corpus()
        #expect(
            own.said.all.filter { $0.hasPrefix("read") } == [
                "read 2 of 2 new files", "read 1 of 1 new files",
            ])
    }

    @Test func nothingToEnrolIsAnError() throws {
        let own = try OwnRecordings()
        func message() -> String? {
            let error = #expect(throws: CorpusError.self) { try own.corpus() }
            return error?.description
        }
        #expect(message()?.contains("there is no audio file in it") == true)
        try own.write(TestSignals.noise(seed: 1, seconds: 3, sampleRate: 8000), to: "short.wav")
        #expect(message()?.contains("1 file is shorter than 8 s") == true)
        #expect(throws: CorpusError.self) { try own.corpus(own.music + "/nowhere") }
        #expect(throws: CorpusError.self) { try own.corpus(isComparing: false) }
    }

    @Test func aRecipeMayNameAFolderWithPatterns() throws {
        let own = try OwnRecordings()
        for (seed, path) in ["a/1.wav", "b/2.wav", "strangers/3.wav", "other/4.wav"].enumerated() {
            try own.write(OwnRecordings.piece(UInt64(seed)), to: path)
        }
        let corpus = try own.corpus(recipe: "files: [a/*, b/*, {glob: strangers/**, role: negative}]")
        #expect(Set(corpus.tracks.map(\.id)) == ["a/1.wav", "b/2.wav", "strangers/3.wav"])
        #expect(corpus.tracks.filter(\.isEnrolled).map(\.id).sorted() == ["a/1.wav", "b/2.wav"])
        #expect(try corpus.argument == "mine" && own.corpus().argument == own.music)
        // With negative recordings, no fold is needed.
        let plan = try OwnRecordings.plan(corpus)
        #expect(plan.folds.isEmpty && plan.trials.contains { !$0.isPositive })
    }
}

extension OwnRecordings {
    fileprivate var contents: [String] {
        let walk = FileManager.default.enumerator(atPath: music)
        var files: [String] = []
        while let path = walk?.nextObject() as? String {
            files.append("\(path) \(walk?.fileAttributes?[.size] ?? 0)")
        }
        return files.sorted()
    }
}
