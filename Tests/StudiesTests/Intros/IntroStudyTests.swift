import Corpora
import Evaluation
import EvaluationTestSupport
import MatcherAdapters
import Matchers
import Studies
import TestSupport
import Testing

@Suite struct IntroStudyTests {
    private struct Refusal: Error {}

    private func study(
        _ text: String = IntroPlanTests.text, path: String = "t.yaml",
        contestant: Contestant = Contestants.earshot
    ) throws -> IntroStudy {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        return IntroStudy(
            plan: try IntroPlanFile(text: text, name: path), corpus: corpus,
            contestant: contestant,
            material: try CorpusMaterial(library: library, music: corpus))
    }

    @Test func theRightEpisodeIsTheOnlyAnswerOnceTheIntroIsOver() throws {
        let (study, fixture) = (try study(), try StudyFixture())
        let records = try study.run(in: fixture.run(of: study))
        // Two episodes, each with two conditions of one query within and two across; two tags for each condition.
        #expect(records.count == 2 * 2 * 3 + 2 * 2)
        #expect(records.allSatisfy { $0.error == nil })
        let score = IntroScore(records, margin: IntroDesign.usualMargin)
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
        #expect(tags.reliable.allSatisfy { $0.spacingPercent == nil && $0.episodes == nil })
        let noisy = records.filter { $0.condition == "noise" }.compactMap(\.snrDecibelsTo4kHz)
        #expect(noisy.count == records.count / 2 && noisy.allSatisfy { abs($0 - 10) < 0.05 })

        // The same on one thread, to the last bit.
        #expect(try study.run(in: StudyFixture().run(of: study, jobs: 1)) == records)
        try scoringAgainAsksNothing(records, fixture)
    }

    private func scoringAgainAsksNothing(_ records: [IntroRecord], _ fixture: StudyFixture) throws {
        let text = "# a comment\n" + IntroPlanTests.text + "\nmargin: 3\n"
        let silent = Contestant(name: "silent", summary: "") { throw Refusal() }
        let again = try study(text, contestant: silent)
        #expect(try again.run(in: fixture.run(of: again)) == records)
        #expect(again.plan.margin == 3)
        let facts = try RunFolder(existing: fixture.path()).onlyStudy().facts
        #expect(try facts.settings(as: IntroPlanFile.self).margin == 3)
        #expect(try study(text, path: "/elsewhere/t.yaml").settings == again.settings, "shards can be merged")
        let other = try study(text.replacing("seed: 5", with: "seed: 6"), contestant: silent)
        #expect(throws: Refusal.self) { try other.run(in: fixture.run(of: other)) }
    }

    @Test func episodesShareTheIntroAndNothingElse() throws {
        let study = try study()
        let names = try study.setNames()
        #expect(names == ["n3/s1"])
        let episodes = try study.episodes(ofSet: names[0], jobs: 2)
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
            let study = try study(text)
            _ = try study.run(in: StudyFixture().run(of: study))
        }
        #expect(error?.message.contains("unrelated recordings") == true)
    }
}
