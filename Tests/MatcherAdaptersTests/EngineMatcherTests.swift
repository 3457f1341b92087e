import AudioCore
import Evaluation
import Fingerprinting
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

/// Our engine as a contestant: the answers of the engine, in the judge's words.
@Suite struct EngineMatcherTests {
    private static let songs = (0..<4).map {
        ScoreSong(seed: 700 + UInt64($0), seconds: 24).render(sampleRate: 8000)
    }

    private func matcher(_ order: [Int] = [0, 1, 2, 3], _ contestant: Contestant = Contestants.earshot) throws
        -> any Matcher
    {
        let matcher = try contestant.make()
        for number in order { try matcher.enrol(id: "song \(number)", audio: Self.songs[number]) }
        _ = try matcher.finishEnrolment()
        return matcher
    }

    private func query(_ song: Int, at seconds: Int = 7, length: Int = 5) -> Matchers.Query {
        Matchers.Query(
            name: "q", audio: Self.songs[song].frames(8000 * seconds..<8000 * (seconds + length)))
    }

    @Test("Answers are those of the engine, number by number")
    func answersAreTheEngines() throws {
        let catalog = try Catalog(
            references: Self.songs.enumerated().map { number, audio in
                Reference(id: "song \(number)", signature: try SignatureExtractor.signature(of: audio))
            })
        let matcher = try matcher()
        for song in 0..<4 {
            let query = query(song)
            let (answers, matches) = (try matcher.identify(query), try catalog.match(query: query.audio))
            #expect(answers.count == matches.count && !answers.isEmpty)
            for (answer, match) in zip(answers, matches) {
                #expect(
                    answer.referenceID == match.referenceID && answer.offsetSeconds == match.offsetSeconds)
                #expect(answer.frequencySkew == match.frequencySkew && answer.timeSkew == match.timeSkew)
                #expect(answer.score == match.score && answer.confidence == match.confidence)
                #expect(answer.isAccepted == match.isAccepted && answer.logLikelihoodDeficit == nil)
                #expect(answer.freeFrequencySkew == match.freeFrequencySkew)
                #expect(answer.timeSkewStandardError == match.timeSkewError)
            }
            #expect(answers[0].referenceID == "song \(song)")
            #expect(try abs(#require(answers[0].offsetSeconds) - 7) < 0.002)
        }
    }

    @Test("The order of enrolment does not change an answer")
    func orderDoesNotMatter() throws {
        let (one, other) = (try matcher(), try matcher([2, 0, 3, 1]))
        for song in 0..<4 { #expect(try one.identify(query(song)) == other.identify(query(song))) }
    }

    @Test("What was prepared by one instance teaches another as the audio does")
    func preparationIsShared() throws {
        let maker = try #require(try Contestants.earshot.make().powers.preparation)
        let learner = try Contestants.earshot.make()
        let learning = try #require(learner.powers.preparation)
        #expect(learning.key == maker.key)
        for number in 0..<4 { learning.enrol("song \(number)", try maker.prepare(Self.songs[number])) }
        _ = try learner.finishEnrolment()
        let usual = try matcher()
        for song in 0..<4 { #expect(try learner.identify(query(song)) == usual.identify(query(song))) }
    }

    @Test("Only settings that change what is prepared change the key under which it is kept")
    func keysFollowTheAnalysis() throws {
        func key(_ chosen: [String: Double]) throws -> String {
            try #require(try Contestants.earshot.choosing(chosen).make().powers.preparation).key
        }
        let usual = try key([:])
        for tunable in Contestants.earshot.tunables {
            let other = try key([
                tunable.name: tunable.standard == tunable.lowest ? tunable.highest : tunable.lowest
            ])
            let isPrepared = tunable.name.hasPrefix("analysis.") && tunable.name != "analysis.queryRank"
            #expect((other != usual) == isPrepared, "\(tunable.name)")
        }
    }

    @Test("A chosen threshold decides what is accepted and leaves scores as they are")
    func choicesReachTheEngine() throws {
        let usual = try matcher().identify(query(1))
        let strict = try matcher([0, 1, 2, 3], Contestants.earshot.choosing(["decision.threshold": 20]))
        let answers = try strict.identify(query(1))
        #expect(answers.map(\.score).max() == usual.map(\.score).max())
        for answer in answers { #expect(answer.isAccepted == (answer.score >= 20)) }
    }

    @Test("Asked for more, each answer but the first states what speaks against it")
    func deficitsAreStated() throws {
        let answers = try matcher().identify(query(2), most: 4)
        #expect(answers.first?.referenceID == "song 2" && answers.first?.logLikelihoodDeficit == nil)
        #expect(answers.dropFirst().allSatisfy { $0.logLikelihoodDeficit != nil })
    }

    @Test("Before enrolment is finished queries have no answer, and streams and explanations are errors")
    func unfinishedMatchersSaySo() throws {
        let matcher = try Contestants.earshot.make()
        try matcher.enrol(id: "a", audio: Self.songs[0])
        #expect(try matcher.identify(query(0)).isEmpty)
        let startStream = try #require(matcher.powers.startStream)
        #expect(throws: MeasurementError.self) { try startStream(8000, 1) }
        let explain = try #require(matcher.powers.explain)
        #expect(throws: MeasurementError.self) { try explain(query(0), []) }
    }

    @Test(
        "A stream says what the engine's follower of streams says, and at which second of the reference it is"
    )
    func streamsAreTheEngines() throws {
        let startStream = try #require(try matcher().powers.startStream)
        var stream = try startStream(8000, 1)
        var events: [StreamedEvent] = []
        for start in stride(from: 8000 * 3, to: 8000 * 13, by: 1000) {
            events += try stream.append(Self.songs[3].frames(start..<start + 1000))
        }
        let named = events.filter { $0.kind != .nothing }
        #expect(named.first?.kind == .named && named.dropFirst().allSatisfy { $0.kind == .confirmed })
        #expect(named.count > 6)
        for event in named {
            let answer = try #require(event.answers.first)
            #expect(answer.referenceID == "song 3")
            // In less than two seconds the speed is not known well, nor is the place.
            let tolerance = event.elapsedSeconds < 2 ? 0.04 : 0.005
            #expect(abs(answer.referenceSeconds - (3 + event.elapsedSeconds)) < tolerance)
        }
    }

    @Test("The auditor names every recording that shares a passage, more than the usual ten")
    func theAuditorNamesAll() throws {
        let auditor = Contestants.auditor()
        for number in 0..<13 {
            // All begin alike, and go on differently.
            let rest = TestSignals.noise(seed: UInt64(number), seconds: 1, sampleRate: 8000)
            let audio = AudioBuffer(
                samples: Self.songs[3].samples.prefix(8000 * 7) + rest.samples, sampleRate: 8000)
            try auditor.enrol(id: "\(number)", audio: audio)
        }
        _ = try auditor.finishEnrolment()
        let accepted = try auditor.identify(query(3, at: 1)).filter(\.isAccepted)
        #expect(Set(accepted.map(\.referenceID)) == Set((0..<13).map(String.init)))
    }

    @Test("The evidence for an answer is that of the bands that gave its score, and other places have theirs")
    func evidenceIsThatOfTheAnswers() throws {
        let matcher = try matcher()
        let examination = try #require(matcher.powers.examination)
        #expect(Set(examination.values.map(\.name)).count == examination.values.count)
        #expect(examination.values.allSatisfy { !$0.meaning.isEmpty })
        for song in 0..<4 {
            let query = query(song, length: 2)
            let evidence = try examination.examine(query)
            #expect(evidence.allSatisfy { $0.values.count == examination.values.count })
            #expect(Set(evidence.map(\.variant)).count * evidence.count { $0.isChosen } == evidence.count)
            let best = try #require(evidence.first { $0.isChosen })
            let answers = try matcher.identify(query)
            let answer = try #require(answers.first)
            #expect(best.candidate.referenceID == answer.referenceID)
            #expect(best.candidate.offsetSeconds == answer.offsetSeconds)
            // Places without a decision have one score in both.
            for other in answers where (-3...14).contains(other.score) {
                #expect(
                    evidence.contains {
                        $0.isChosen && $0.candidate.referenceID == other.referenceID
                            && $0.candidate.score == other.score
                    })
            }
        }
    }

    @Test("Which places are examined, and what is measured there, depends on no weight and on no threshold")
    func evidenceDependsOnNoDecision() throws {
        let references = try Self.songs.enumerated().map { number, audio in
            Reference(id: "song \(number)", signature: try SignatureExtractor.signature(of: audio))
        }
        var changed = Settings()
        changed.weights.constant -= 9
        changed.lookup.decisiveScore = 30
        changed.decision.threshold = 8
        let (usual, other) = (
            try Catalog(references: references), try Catalog(references: references, settings: changed)
        )
        for song in 0..<4 {
            let audio = query(song).audio
            let (places, otherPlaces) = (try usual.examine(audio), try other.examine(audio))
            #expect(places.map(\.values) == otherPlaces.map(\.values))
            #expect(zip(places, otherPlaces).allSatisfy { $0.match.score > $1.match.score })
        }
    }
}
