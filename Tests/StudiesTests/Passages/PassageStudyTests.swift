import AudioCore
import Corpora
import Evaluation
import EvaluationTestSupport
import MatcherAdapters
import Matchers
import Studies
import TestSupport
import Testing

@Suite struct PassageStudyTests {
    static let text = """
        name: passages
        corpus: synthetic
        seed: 5
        sampleRateHertz: 8000
        hours: 0.03
        airings: 5
        songs: {references: 1, share: 0.2, seconds: 10, cutShare: 1}
        spots: {references: 2, share: 0.4, seconds: 5, twins: 1}
        jingles: {references: 2, share: 0.4, seconds: 2}
        between:
          music: {share: 0.5, seconds: 8}
          speech: {share: 0.3, seconds: 5}
          silence: {share: 0.2, seconds: 1}
        crossfades: {share: 0.5, seconds: {from: 0, to: 2}}
        """

    private func study(
        _ text: String = Self.text,
        contestant: Contestant = Contestants.named("oracle") ?? Contestants.earshot,
        blockFrames: Int = 4096
    ) throws -> PassageStudy {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.path + "/Corpora")
        let corpus = try Corpus.open(named: "synthetic", in: library)
        return PassageStudy(
            plan: try PassagePlanFile(text: text, name: "t.yaml"), corpus: corpus,
            material: try CorpusMaterial(library: library, music: corpus), contestant: contestant,
            blockFrames: blockFrames)
    }

    private func samples(_ recording: PassageRecording) throws -> [Float] {
        var samples: [Float] = []
        try recording.render { samples += $0.samples }
        return samples
    }

    /// The cosine of the angle between two stretches.
    private func similarity(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Double {
        var (product, a, b) = (0.0, 0.0, 0.0)
        for (x, y) in zip(one, other) {
            product += Double(x * y)
            a += Double(x * x)
            b += Double(y * y)
        }
        return product / max(1e-12, (a * b).squareRoot())
    }

    @Test func theTruthIsWhatTheRecordingContains() throws {
        let folder = try TemporaryFolder()
        let recording = try study().recording(spoolIn: folder.path)
        let made = try samples(recording)
        let rate = Double(recording.sampleRate)
        #expect(made.count == recording.frameCount && recording.airings.count == 5)
        for airing in recording.airings {
            let reference = try #require(recording.references.first { $0.id == airing.referenceID })
            let own = try recording.audio(of: reference).samples
            let middle = (airing.queryRange.lowerBound + airing.queryRange.upperBound) / 2
            let start = Int((middle * rate).rounded()) - 1600
            let place = Int(
                ((airing.referenceRange.lowerBound + middle - airing.queryRange.lowerBound) * rate).rounded())
            let found = (-8...8).max { a, b in
                func at(_ shift: Int) -> Double {
                    let first = max(0, place - 1600 + shift)
                    return similarity(made[start..<(start + 3200)], own[first..<min(own.count, first + 3200)])
                }
                return at(a) < at(b)
            }
            #expect(abs(found ?? 99) <= 1, "\(airing)")
        }
        for (before, after) in zip(recording.airings, recording.airings.dropFirst()) {
            #expect(before.queryRange.upperBound <= after.queryRange.lowerBound)
        }
        // The same plan gives the same samples, another seed gives others.
        let again = try study().recording(spoolIn: folder.path)
        #expect(again.airings == recording.airings)
        #expect(try samples(again) == made)
        let other = try study(Self.text.replacing("seed: 5", with: "seed: 6")).recording(spoolIn: folder.path)
        #expect(other.airings != recording.airings)
    }

    @Test func theOracleIsPerfectHoweverTheAudioIsCut() throws {
        var outcomes: [PassageOutcome] = []
        for frames in [100, 4096, 1 << 20] {
            let study = try study(blockFrames: frames)
            let fixture = try StudyFixture()
            outcomes.append(try study.run(in: fixture.run(of: study)))
            withExtendedLifetime(fixture) {}
        }
        for outcome in outcomes {
            let score = PassageScore(outcome)
            #expect(score.all.found.rate == 1 && score.precision.rate == 1 && score.f1 == 1)
            #expect(score.all.edgeErrors?.maximumAbsolute ?? 0 == 0)
            #expect(outcome.answers.map(\.passage) == outcomes[0].answers.map(\.passage))
        }
        let study = try study(contestant: #require(Contestants.named("null")))
        let fixture = try StudyFixture()
        let nothing = PassageScore(try study.run(in: fixture.run(of: study)))
        withExtendedLifetime(fixture) {}
        #expect(nothing.all.found.rate == 0 && nothing.precision.trials == 0)
        #expect(nothing.area.value == 0 && nothing.mistakes.count == nothing.all.found.trials)
    }

    private func outcome(of mode: String) throws -> (
        first: Result<PassageOutcome, any Error>, again: PassageOutcome
    ) {
        let script = try HostileScript(mode, at: mode == "calm" ? 100 : 1)
        let line = script.commandLine
        let study = try study(
            contestant: Contestant(name: "hostile", summary: "") {
                try ExternalMatcher(ExternalCommand(line))
            })
        let fixture = try StudyFixture()
        let first = Result { try study.run(in: fixture.run(of: study)) }
        let again = try study.run(in: fixture.run(of: study))
        withExtendedLifetime((fixture, script)) {}
        return (first, again)
    }

    /// The recording of a plan is no miss because somebody ended the program.
    @Test func aDisturbedRecordingIsMeasuredOrNotCounted() throws {
        let calm = try outcome(of: "calm").first.get()
        let once = try outcome(of: "killed").first.get()
        #expect(calm.answers.count == 1 && once.answers == calm.answers && once.error == nil)
        #expect(calm.processorSeconds != nil && once.processorSeconds == nil)
        let (twice, again) = try outcome(of: "killed-twice")
        let error = #expect(throws: MeasurementError.self) { try twice.get() }
        #expect(error?.description.contains("the recording was not measured: hostile closed") == true)
        // Nothing was stored, so that it is asked again.
        #expect(again.answers == calm.answers)
        // A fault of the program is stored, and counts.
        let died = try outcome(of: "die")
        #expect(try died.first.get().error != nil && died.again.error != nil)
    }

    /// A stretch sounds as it does in the whole recording, and mistakes have sounds.
    @Test func soundsAreThoseOfTheRecording() throws {
        let study = try study(contestant: #require(Contestants.named("null")))
        let fixture = try StudyFixture()
        let outcome = try study.run(in: fixture.run(of: study))
        let recording = try study.recording(spoolIn: fixture.run(of: study).path)
        let whole = try samples(recording)
        for (begin, end) in [(0.0, 3.0), (17.25, 30.5), (100, 999)] {
            let heard = try recording.audio(in: begin...end)
            let first = Int(begin * Double(recording.sampleRate))
            #expect(heard.samples == Array(whole[first..<(first + heard.frameCount)]))
        }
        #expect(Set(outcome.sounds.keys) == Set(PassageScore(outcome).mistakes))
        for (number, sound) in outcome.sounds {
            let length = PassageScore(outcome).rows[number].lengthSeconds
            #expect(abs(sound.recording.seconds - min(12, length + 2)) < 0.01)
            #expect(abs((sound.reference?.seconds ?? 0) - length) < 0.01)
        }
        withExtendedLifetime(fixture) {}
    }

    /// A chain changes every sample, and neither lengths nor places.
    @Test func theChainKeepsPlaces() throws {
        let folder = try TemporaryFolder()
        let clean = try samples(study().recording(spoolIn: folder.path))
        let chain =
            "[{multiband: {driveDecibels: 9}}, {fm: {hissDecibels: -50}}, {format: {encoding: mp3-64k}}]"
        var plan = try PassagePlanFile(text: Self.text, name: "t.yaml")
        let digest = plan.digest
        plan.replace("chain", \.chain, by: try PassageDesign.chain(text: chain))
        #expect(plan.digest != digest)
        let library = try CorpusLibrary(recipeFolder: PackageFolder.path + "/Corpora")
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let recording = try PassageRecording(
            plan: plan, corpus: corpus, material: CorpusMaterial(library: library, music: corpus),
            folder: folder.path)
        let sent = try samples(recording)
        #expect(sent.count == clean.count && sent != clean)
        for start in stride(from: 8000, to: clean.count - 17_000, by: 40_000) {
            let stretch = start..<(start + 16_000)
            guard clean[stretch].contains(where: { abs($0) > 0.05 }) else { continue }
            let shift = (-40...40).max { one, other in
                func at(_ shift: Int) -> Double {
                    similarity(
                        clean[stretch], sent[(stretch.lowerBound + shift)..<(stretch.upperBound + shift)])
                }
                return at(one) < at(other)
            }
            #expect(abs(shift ?? 99) <= 8, "\(start)")
        }
        let error = #expect(throws: ConfigurationError.self) {
            try PassageDesign.chain(text: "[{speed: {percent: 2}}]")
        }
        #expect(error?.description.contains("speed changes times") == true)
    }

    @Test func thePlansOfTheProjectAreRead() throws {
        let plans = ["passages", "passages-small", "passages-broadcast"].map {
            "\(PackageFolder.path)/Corpora/Plans/\($0).yaml"
        }
        let read = try plans.map { try PassagePlanFile(path: $0) }
        #expect(read.map(\.chain.count) == [0, 0, 3])
        #expect(read[2].kinds.values.allSatisfy { $0.voiceOverShare == 1 } && read[2].hours == read[0].hours)
    }

    @Test(arguments: [
        ("share: 0.2, seconds: 10", "share: 0.3, seconds: 10", "expected 1"),
        ("music: {share: 0.5", "music: {share: 0.6", "expected 1"),
        ("airings: 5", "airing: 5", "`airings` is missing"),
        ("seconds: 5, twins: 1}", "seconds: 5, twins: 3}", "twins"),
        ("airings: 5", "airings: 5\nchain: [{speed: {percent: 2}}]", "changes times"),
    ])
    func mistakesAreNamed(_ part: String, _ mistake: String, _ words: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try PassagePlanFile(text: Self.text.replacing(part, with: mistake), name: "t.yaml")
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
