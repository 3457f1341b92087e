import AudioCore
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

/// Explanations of external matchers: what they may leave out, and those that are refused.
@Suite struct ExternalExplanationTests {
    private var limits: ExternalLimits {
        var limits = ExternalLimits()
        limits.querySeconds = 10
        limits.exitSeconds = 5
        limits.backOffSeconds = 0
        return limits
    }

    private let query = Query(name: "q", audio: TestSignals.noise(seed: 1, seconds: 0.5, sampleRate: 8000))

    private func taught(_ script: ExplainingScript, _ limits: ExternalLimits) throws -> ExternalMatcher {
        let matcher = try ExternalMatcher(ExternalCommand(script.commandLine), limits: limits)
        let audio = query.audio
        matcher.setReferenceSource { _ in audio }
        for id in ["two", "one"] { try matcher.enrol(id: id, audio: audio) }
        _ = try matcher.finishEnrolment()
        return matcher
    }

    private let places = ["one", "two"].map {
        ReferencePlace(referenceID: $0, offsetSeconds: 12.345_678_9, frequencySkew: 0.02, timeSkew: -0.02)
    }

    /// - Parameter script: What the matcher runs, whose folder must stay until then.
    private func explain(_ matcher: ExternalMatcher, of script: ExplainingScript) throws -> MatchExplanation {
        let explain = try #require(matcher.powers.explain)
        return try explain(query, places)
    }

    @Test func everyPartArrives() throws {
        let script = try ExplainingScript("well")
        let matcher = try taught(script, limits)
        let answer = try #require(try matcher.identify(query).first)
        let explanation = try explain(matcher, of: script)
        #expect(explanation.threshold == 0.5)
        #expect(explanation.queryPeaks.map(\.seconds) == [0.1, 0.2, 0.3])
        #expect(explanation.queryPeaks.map(\.hertz) == [440, nil, 880.5])
        #expect(
            explanation.candidates.map(\.candidate.referenceID) == [answer.referenceID, answer.referenceID])
        #expect(explanation.candidates.map { $0.parts.map(\.amount) } == [[0.75, 0.25], [0.5, -0.25]])
        #expect(explanation.candidates.map(\.matchedPeaks) == [2, nil])
        #expect(explanation.alignments.map(\.place) == places)
        for alignment in explanation.alignments {
            #expect(alignment.referencePeaks.map(\.hertz) == [440, nil])
            #expect(alignment.pairs == [.init(query: 0, reference: 0), .init(query: 1, reference: 1)])
            #expect(alignment.votes == .init(firstSeconds: -0.5, binSeconds: 0.5, counts: [0, 3, 1]))
        }
        let line = try #require(script.requests.first)
        let request = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(Set(request.keys) == ["op", "query", "path", "places"])
        let asked = try #require(request["places"] as? [[String: Any]])
        #expect(asked.map { $0["offsetSeconds"] as? Double } == [12.345_678_9, 12.345_678_9])
        #expect(asked.map { $0["frequencySkew"] as? Double } == [0.02, 0.02])
        #expect(asked.map { $0["timeSkew"] as? Double } == [-0.02, -0.02])
        #expect(Set(asked.compactMap { $0["id"] as? String }).count == 2)
    }

    @Test(arguments: ["least", "nulls"]) func everyPartButTheQueryMayBeMissing(_ mode: String) throws {
        let script = try ExplainingScript(mode)
        let explanation = try explain(taught(script, limits), of: script)
        #expect(
            explanation
                == MatchExplanation(queryPeaks: [], candidates: [], alignments: [], threshold: nil))
    }

    @Test func aLineOfThreeMegabytesIsRead() throws {
        let script = try ExplainingScript("long")
        #expect(try explain(taught(script, limits), of: script).queryPeaks.count == 3)
    }

    @Test func anAdapterThatIsEndedIsAskedOnceMore() throws {
        let script = try ExplainingScript("killed")
        let matcher = try taught(script, limits)
        #expect(try explain(matcher, of: script).queryPeaks.count == 3)
        #expect(script.requests.count == 2 && matcher.restartCount == 1)
    }

    /// The error of the first explanation; after it the adapter answers and explains.
    private func error(_ mode: String, _ limits: ExternalLimits, restarts: Int) throws -> String {
        let script = try ExplainingScript(mode)
        let matcher = try taught(script, limits)
        let error = try #require(throws: ExternalMatcherError.self) { try explain(matcher, of: script) }
        #expect(try matcher.identify(query).count == 1)
        #expect(try explain(matcher, of: script).candidates.count == 2)
        #expect(matcher.restartCount == restarts)
        return error.description
    }

    @Test(arguments: [
        ("die", "out of luck"), ("signal", "it was ended by signal 11"),
        ("close", "closed its standard output"),
        ("flood", "answered an explanation with more than 4194304 bytes in one line"),
        ("too-long", "answered an explanation with more than 4194304 bytes in one line"),
        ("fork", "out"), ("other-query", "answered query 'another' when '"),
    ])
    func whatEndsTheConversationStartsItAgain(_ mode: String, _ expected: String) throws {
        let message = try error(mode, limits, restarts: 1)
        #expect(message.contains(mode == "fork" ? "left a child behind" : expected), "\(message)")
    }

    @Test(arguments: ["hang", "flood-error"]) func anExplanationThatTakesTooLongIsEnded(_ mode: String) throws
    {
        var limits = limits
        limits.querySeconds = 2
        let message = try error(mode, limits, restarts: 1)
        #expect(message.contains("gave no answer to an explanation within 2.0 s; it was killed"))
    }

    @Test(arguments: [
        ("garbage", "this is no JSON object"), ("binary", "expected UTF-8"),
        ("empty-line", "answered '': this is no JSON object"), ("list", "answered '[1, 2]'"),
        ("text", #"answered '"text"'"#), ("null", "answered 'null'"), ("deep", "this is no JSON object"),
        ("deep-peaks", "this is no JSON object"), ("infinite", "this is no JSON object"),
        ("nan", "this is no JSON object"), ("twice", "`threshold` is there twice"),
        ("error", #"says: cannot\u{a}explain"#), ("no-query", "`query` is missing"),
        ("peaks", "`queryPeaks` is no list"), ("peak-of-one", "`queryPeaks[0][1]`"),
        ("peak-of-three", "`queryPeaks[0]` cannot be read"),
        ("far-peak", "`queryPeaks[0][0]` is 1e+300; expected a number in -10000000.0...10000000.0"),
        ("low-peak", "`alignments[0].referencePeaks[1][1]` is -1.0; expected a number in 0.0...1000000.0"),
        ("many-peaks", "`queryPeaks` is a list of 20001; expected at most 20000"),
        ("many-candidates", "`candidates` is a list of 201; expected at most 200"),
        ("candidate", "`candidates[0].id` is 'r-nobody'; expected the id of an enrolled reference"),
        ("far-candidate", "`candidates[0].offsetSeconds` is -1000000000.0"),
        ("many-parts", "`candidates[0].parts` is a list of 41; expected at most 40"),
        ("odd-part", #"`candidates[0].parts[0].name` is pai\u{202e}rs; expected 1 to 80 characters"#),
        ("long-part", "expected 1 to 80 characters that can be shown"),
        ("other-parts", "`candidates[1].parts` is length, pairs; expected the names of the first"),
        ("more-parts", "`candidates[1].parts` is pairs, length; expected the names of the first"),
        ("part-amount", "`candidates[0].parts[0].amount` is no number"),
        ("matched", "`candidates[0].matchedPeaks` is 4; expected a number in 0...3"),
        (
            "only-matched",
            "`candidates[0]` is one of `matchedPeaks` and `comparedPeaks`; expected both or none"
        ),
        ("compared", "`candidates[0].comparedPeaks` is 4611686018427387904"),
        ("alignment", "`alignments[0].id` is 'r-nobody'; expected the id of an enrolled reference"),
        ("other-place", "expected one of the `places`, once"),
        ("place-twice", "`alignments[2]` is "),
        ("pair-before", "`alignments[0].pairs[0]` is -1; expected the"),
        ("pair-behind", "`alignments[0].pairs[0]` is 2; expected the place of one of 2 peaks"),
        ("pair-of-nothing", "`alignments[0].pairs[0]` is 0; expected the place of one of 0 peaks"),
        ("half-pair", "this is no JSON object"),
        ("many-pairs", "`alignments[0].pairs` is a list of 20001; expected at most 20000"),
        ("no-bin", "`alignments[0].votes.binSeconds` is 0.0; expected a number in 1e-06...10000000.0"),
        ("many-bins", "`alignments[0].votes.counts` is a list of 2001; expected at most 2000"),
        ("negative-votes", "`alignments[0].votes.counts[1]` is -1; expected a number in 0...1000000000"),
        ("many-votes", "`alignments[0].votes.counts[0]` is 4611686018427387904"),
    ])
    func anImpossibleExplanationIsRefusedAndTheNextIsGiven(_ mode: String, _ expected: String) throws {
        let message = try error(mode, limits, restarts: 0)
        #expect(message.contains(expected), "\(message)")
        #expect(message.count < 2000)
    }

    @Test func aSecondLineEndsTheConversation() throws {
        let script = try ExplainingScript("two-lines", always: true)
        let matcher = try taught(script, limits)
        var failures = 0
        for _ in 0..<3 {
            do { _ = try explain(matcher, of: script) } catch is ExternalMatcherError { failures += 1 }
        }
        #expect(failures > 0 && matcher.restartCount > 0)
    }
}
