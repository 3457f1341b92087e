import AudioCore
import Evaluation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

/// The floor and the ceiling of every figure.
@Suite struct ControlMatcherTests {
    private let audio = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 8000)

    @Test("Null never answers, whatever it was taught")
    func nullNeverAnswers() throws {
        let matcher = try #require(Contestants.named("null")).make()
        try matcher.enrol(id: "a", audio: audio)
        #expect(try matcher.finishEnrolment() == 0)
        #expect(try matcher.identify(Query(name: "q", audio: audio)).isEmpty)
        #expect(try matcher.identify(Query(name: "q", audio: audio), most: 20).isEmpty)
    }

    @Test("The oracle answers with the truth it is given, and without it not at all")
    func theOracleIsTold() throws {
        let oracle = try #require(Contestants.named("oracle"))
        let matcher = try oracle.make()
        let control = try #require(matcher.powers.control)
        try matcher.enrol(id: "a", audio: audio)
        _ = try matcher.finishEnrolment()
        let query = Query(name: "q", audio: audio)
        #expect(try matcher.identify(query).isEmpty)
        #expect(try control(query, ["a"], nil).isEmpty)
        let truth = Truth(
            offsetSeconds: -1.5, frequencySkew: 0.02, timeSkew: nil, skewChangePerSecond: 0)
        let answers = try control(query, ["a", "b"], truth)
        let answer = try #require(answers.first)
        #expect(answers.count == 1 && answer.referenceID == "a" && answer.isAccepted)
        #expect(answer.offsetSeconds == -1.5 && answer.frequencySkew == 0.02 && answer.timeSkew == nil)
        #expect(try control(query, [], truth).isEmpty, "a negative has no reference")
    }
}
