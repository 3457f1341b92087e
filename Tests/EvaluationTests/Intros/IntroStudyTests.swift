import Corpora
import MatcherAdapters
import Studies
import TestSupport
import Testing

@Suite struct IntroStudyTests {
    private func study(jobs: Int, text: String = IntroPlanTests.text) throws -> IntroStudy {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        return IntroStudy(
            plan: try IntroPlanFile(text: text, name: "t.yaml"), corpus: corpus,
            contestant: Contestants.earshot,
            material: try CorpusMaterial(library: library, music: corpus), jobs: jobs)
    }

    @Test func theRightEpisodeIsTheOnlyAnswerOnceTheIntroIsOver() throws {
        let records = try study(jobs: 2).run(in: StudyFixture().run())
        // Two episodes, each with two conditions of one query within and two across; two tags for each condition.
        #expect(records.count == 2 * 2 * 3 + 2 * 2)
        #expect(records.allSatisfy { $0.error == nil })
        let score = IntroScore(records, margin: IntroPlanFile.usualMargin)
        #expect(score.inside.allSatisfy { $0.allAccepted.rate == 1 && $0.ambiguous.rate == 1 })
        #expect(score.boundary.count == 4 && score.boundary.allSatisfy { $0.right.rate == 1 })
        #expect(score.delays.allSatisfy { $0.median == 1 && $0.soon.rate == 1 })
        #expect(score.confusions.count == 2)
        for confusion in score.confusions {
            let onDiagonal = confusion.counts.indices.map { confusion.counts[$0][$0] }
            #expect(onDiagonal.reduce(0, +) == 2)
        }
        let tags = TagScore(records)
        #expect(tags.rows.count == 2 && tags.rows.allSatisfy { $0.right.rate == 1 })
        #expect(tags.reliable.allSatisfy { $0.spacingPercent == 0.5 && $0.episodes == 21 })
        let noisy = records.filter { $0.condition == "noise" }.compactMap(\.snrDecibelsTo4kHz)
        #expect(noisy.count == records.count / 2 && noisy.allSatisfy { abs($0 - 10) < 0.05 })

        // The same on one thread, to the last bit.
        #expect(try study(jobs: 1).run(in: StudyFixture().run()) == records)
    }

    @Test func episodesShareTheIntroAndNothingElse() throws {
        let study = try study(jobs: 2)
        let names = try study.setNames()
        #expect(names == ["n3/s1"])
        let episodes = try study.episodes(ofSet: names[0])
        #expect(episodes.count == 3 && Set(episodes.map(\.introSeconds.lowerBound)).count == 3)
        // All are scaled equally, so that the intro is the same to the last bit.
        let intros = episodes.map { episode in
            let rate = Double(episode.audio.sampleRate)
            let start = Int(((episode.introSeconds.lowerBound + 0.1) * rate).rounded())
            return episode.audio.frames(start..<(start + Int(7 * rate)))
        }
        #expect(intros[0] == intros[1] && intros[1] == intros[2])
        let ends = episodes.map { $0.audio.frames(($0.audio.frameCount - 44_100)..<$0.audio.frameCount) }
        #expect(ends[0] != ends[1])
    }

    @Test func tooFewRecordingsAreAnError() throws {
        let text = IntroPlanTests.text.replacing("episodes: [3]", with: "episodes: [99]")
        let error = #expect(throws: ConfigurationError.self) {
            try study(jobs: 1, text: text).run(in: StudyFixture().run())
        }
        #expect(error?.message.contains("unrelated recordings") == true)
    }
}
