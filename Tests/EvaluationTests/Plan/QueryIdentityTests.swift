import AudioCore
import AudioIO
import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO
import TestSupport
import Testing

/// A plan of clean queries and of queries with an impulse response from a file.
@Suite struct QueryIdentityTests {
    private let folder: TemporaryFolder
    private let response: String

    init() throws {
        folder = try TemporaryFolder()
        response = folder.file("response.wav")
    }

    /// Writes a response with a direct path and one reflection.
    private func write(reflectionAt frame: Int) throws {
        var samples = [Float](repeating: 0, count: 2000)
        samples[0] = 0.9
        samples[frame] = 0.5
        let encoding = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(AudioBuffer(samples: samples, sampleRate: 44_100), to: response, as: encoding)
    }

    private func plan() throws -> (plan: Plan, material: CorpusMaterial) {
        let text = """
            name: t
            corpus: synthetic
            seed: 9
            positives: 2
            negatives: 1
            lengthSeconds: 2
            families:
              - name: clean
              - {name: hall, chain: [{impulseResponse: {path: \(response)}}]}
            """
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let plan = try Plan(
            file: PlanFile(text: text, name: "t.yaml"), corpus: corpus, material: material)
        return (plan, material)
    }

    @Test func aChangedImpulseResponseMakesAnotherPlan() throws {
        try write(reflectionAt: 100)
        let before = try plan().plan
        #expect(try plan().plan.digest == before.digest)
        try write(reflectionAt: 200)
        let after = try plan().plan
        #expect(after.digest != before.digest && after.panelDigest != before.panelDigest)
        #expect(after.queries["clean/2s"] == before.queries["clean/2s"])
        let (old, new) = (try #require(before.queries["hall/2s"]), try #require(after.queries["hall/2s"]))
        #expect(old.digest != new.digest)
        // The parts name the file that changed, and nothing else.
        #expect(Set(old.parts.keys) == Set(new.parts.keys))
        #expect(old.parts.filter { $0.value != new.parts[$0.key] }.map(\.key) == ["file \(response)"])
        #expect(after.queries.count == 2)
    }

    @Test func aChangedImpulseResponseIsNotTakenFromTheCache() throws {
        let cache = try TrialCache(folder: folder.file("cache"), archiveBytes: 1 << 30)
        func digests() throws -> [String: String] {
            let (plan, material) = try plan()
            let queries = QuerySource(
                recordings: RecordingCache(corpus: plan.corpus, capacity: 2), material: material,
                recipe: plan.recipe, cache: cache)
            return Dictionary(
                uniqueKeysWithValues: try plan.trials.map { ($0.id, try queries.query(of: $0).facts.digest) })
        }
        try write(reflectionAt: 100)
        let before = try digests()
        #expect(try digests() == before)
        try write(reflectionAt: 200)
        let after = try digests()
        for (trial, digest) in after { #expect((digest == before[trial]) == trial.hasPrefix("clean")) }
    }

    @Test func aFileThatCannotBeReadIsAnErrorOfThePlan() throws {
        let error = try #require(throws: ConfigurationError.self) { try plan() }
        #expect(error.file == "t.yaml" && error.description.contains("\(response) cannot be read"))
    }

    /// The judge lost the file, so the matcher missed nothing.
    @Test func aFileThatIsGoneIsNoErrorOfTheTrial() throws {
        try write(reflectionAt: 100)
        let (plan, material) = try plan()
        try FileManager.default.removeItem(atPath: response)
        let queries = QuerySource(
            recordings: RecordingCache(corpus: plan.corpus, capacity: 2), material: material,
            recipe: plan.recipe, cache: nil)
        let hall = try #require(plan.trials.last)
        #expect(throws: AudioFileError.self) { try queries.query(of: hall) }
    }

    @Test func theIdentityHoldsVersionsOfStepsAndLibraries() throws {
        try write(reflectionAt: 100)
        let (plan, _) = try plan()
        let hall = try #require(plan.trials.last)
        let content = try #require(Digest.sha256(ofFile: response))
        #expect(
            try plan.recipe.content(of: hall.chain) == [
                "impulseResponse \(ImpulseResponse.version)", content,
            ])
        #expect(QueryRecipe.libraries.contains("libsamplerate"))
        let (corpus, material) = (plan.corpus, try self.plan().material)
        let others = [
            QueryRecipe(corpus: corpus, material: material, version: QueryRecipe.version + 1),
            QueryRecipe(corpus: corpus, material: material, libraries: "libsamplerate 0"),
        ]
        for trial in plan.trials {
            let digests = try ([plan.recipe] + others).map { try $0.digest(of: trial) }
            #expect(Set(digests).count == 3, "\(trial.id)")
        }
    }

    /// So fetching a corpus leaves queries with other noise what they are.
    @Test func aQueryDependsOnlyOnTheNoiseItUses() throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let recipe = QueryRecipe(corpus: corpus, material: material)
        func content(_ step: any Degradation) throws -> [String] {
            try recipe.content(of: DegradationChain(steps: [AnyDegradation(step)]))
        }
        #expect(
            try content(Babble(voices: 2, snrDecibels: 0, seed: 1)) == [
                "babble \(Babble.version)", material.digest(of: .speech),
            ])
        #expect(
            try content(MusicNoise(snrDecibels: 0, seed: 1)).last == material.digest(of: .music)
                && material.digest(of: .music) != material.digest(of: .speech))
        let wide = try content(Babble(voices: 2, snrDecibels: 0, source: .wideSpeech, seed: 1))
        #expect(wide == ["babble \(Babble.version)", material.digest(of: .wideSpeech)])
        #expect(try content(Crowd(snrDecibels: 0, seed: 1)).last == wide.last)
    }

    /// A run, its cache and a gate then know the queries again on every machine.
    @Test func fetchingACorpusChangesOnlyPlansThatUseIt() throws {
        let recipes = folder.file("recipes")
        try FileManager.default.copyItem(atPath: PackageFolder.shortCorpora, toPath: recipes)
        func plan(_ step: String) throws -> Plan {
            let library = try CorpusLibrary(recipeFolder: recipes)
            let corpus = try Corpus.open(named: "synthetic", in: library)
            let text = """
                name: t
                corpus: synthetic
                seed: 9
                positives: 2
                negatives: 1
                lengthSeconds: 2
                families: [{name: noise, chain: [{\(step): {snrDecibels: 0}}]}]
                """
            return try Plan(
                file: PlanFile(text: text, name: "t.yaml"), corpus: corpus,
                material: CorpusMaterial(library: library, music: corpus))
        }
        let steps = ["music", "noise", "babble", "ambience"]
        let before = try steps.map(plan)
        for suffix in ["yaml", "lock"] {
            try FileManager.default.copyItem(
                atPath: "\(recipes)/synthetic.\(suffix)", toPath: "\(recipes)/ambience.\(suffix)")
        }
        let after = try steps.map(plan)
        for (step, (was, now)) in zip(steps, zip(before, after)) {
            let isSame = step != "ambience"
            #expect((was.digest == now.digest) == isSame, "\(step)")
            #expect((was.panelDigest == now.panelDigest) == isSame, "\(step)")
            #expect((was.queries == now.queries) == isSame, "\(step)")
            for (one, other) in zip(was.trials, now.trials) {
                #expect(try (was.recipe.digest(of: one) == now.recipe.digest(of: other)) == isSame, "\(step)")
            }
        }
        // The part that differs has words.
        let parts = try [before, after].map { plans in
            try #require(plans.last?.queries["noise/2s"]?.parts["noise ambience"])
        }
        #expect(parts[0].contains("not fetched") && parts[1].contains("corpus ambience"), "\(parts)")
    }

    @Test func notesSayUpToWhichFrequencyTheNoiseReaches() throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        func notes(_ step: String) throws -> [String] {
            let text = """
                name: t
                corpus: synthetic
                seed: 9
                positives: 2
                negatives: 1
                lengthSeconds: 2
                families: [{name: noise, chain: [{\(step)}]}]
                """
            let plan = try Plan(
                file: PlanFile(text: text, name: "t.yaml"), corpus: corpus, material: material)
            return step.hasPrefix("noise") ? plan.notes(material: material) : plan.materialNotes(material)
        }
        #expect(try notes("noise: {snrDecibels: 0}").contains { $0.contains("up to 22.05 kHz") })
        let narrow = try notes("babble: {snrDecibels: 0}")
        let wide = try notes("babble: {snrDecibels: 0, source: speech-16k}")
        let crowd = try notes("crowd: {snrDecibels: 0}")
        #expect(narrow.count == 1 && narrow[0].hasPrefix("Babble") && narrow[0].contains(" 8 kHz"))
        #expect(wide.count == 1 && wide[0].hasPrefix("Babble") && wide[0].contains("16 kHz"))
        #expect(crowd.count == 1 && crowd[0].hasPrefix("Crowd") && crowd[0].contains("16 kHz"))
    }

    /// Some programs copy files with the times of the original.
    @Test func aReplacedFileOfEqualSizeAndTimeIsReadAgain() throws {
        let path = folder.file("file")
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        func write(_ text: String) throws {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        }
        try write("one")
        #expect(FileContents.sha256(of: path) == Digest.sha256("one"))
        try write("two")
        #expect(FileContents.sha256(of: path) == Digest.sha256("two"))
        #expect(FileContents.sha256(of: folder.path) == nil && FileContents.sha256(of: "/nowhere") == nil)
    }
}
