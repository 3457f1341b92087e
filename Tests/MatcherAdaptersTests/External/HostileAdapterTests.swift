import AudioCore
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Synchronization
import TestSupport
import Testing

/// Adapters that misbehave at one query: only that query fails, and nothing is left behind.
@Suite struct HostileAdapterTests {
    private var limits: ExternalLimits {
        var limits = ExternalLimits()
        limits.querySeconds = 5
        limits.exitSeconds = 5
        limits.backOffSeconds = 0
        limits.memoryBytes = 300 << 20
        return limits
    }

    private let audio = TestSignals.noise(seed: 1, seconds: 0.5, sampleRate: 8000)

    private func taught(_ script: HostileScript, _ limits: ExternalLimits) throws -> ExternalMatcher {
        let matcher = try ExternalMatcher(ExternalCommand(script.commandLine), limits: limits)
        let audio = audio
        matcher.setReferenceSource { _ in audio }
        for id in ["two", "one"] { try matcher.enrol(id: id, audio: audio) }
        #expect(try matcher.finishEnrolment() == 7)
        return matcher
    }

    /// The error of the second of five queries; the others must be answered.
    private func error(of script: HostileScript, _ limits: ExternalLimits, restarts: Int) throws -> String? {
        let matcher = try taught(script, limits)
        var error: String?
        for number in 1...5 {
            let query = Query(name: "query \(number)", audio: audio)
            do {
                let answers = try matcher.identify(query)
                #expect(answers.count == 1 && ["one", "two"].contains(answers.first?.referenceID ?? ""))
            } catch let thrown {
                #expect(number == 2 || (number == 3 && error == nil), "query \(number): \(thrown)")
                error = "\(thrown)"
            }
        }
        #expect(matcher.restartCount == restarts)
        matcher.end()
        #expect(throws: ExternalMatcherError.self) { try matcher.identify(Query(name: "q", audio: audio)) }
        return error
    }

    @Test(arguments: [
        ("other-query", "answered query 'another' when '"), ("die", "out of luck"),
        ("die", "it exited with status 3"), ("signal", "it was ended by signal 11"),
        ("close", "closed its standard output"), ("flood-output", "more than 1048576 bytes in one line"),
        ("fork", "out"), ("fork-and-close", "closed its standard output"), ("memory", "300 MiB are allowed"),
        ("memory-of-children", "300 MiB are allowed"), ("two-lines", "without being asked"),
    ])
    func whatEndsTheConversationIsAnErrorOfItsQueryAndStartsItAgain(_ mode: String, _ expected: String) throws
    {
        let script = try HostileScript(mode)
        let message = try #require(try error(of: script, limits, restarts: 1))
        // The second line may come only when the next query is asked.
        let others = ["fork": ["left a child behind"], "two-lines": [expected, "' when '"]]
        let words = others[mode] ?? [expected]
        #expect(words.contains { message.contains($0) }, "\(message)")
        for child in script.children { #expect(!HostileScript.isAlive(child), "\(mode) left a process") }
        #expect(mode.hasPrefix("fork") == !script.children.isEmpty)
    }

    @Test(arguments: ["hang", "flood-error"]) func anAdapterWithoutAnswerIsKilled(_ mode: String) throws {
        var limits = limits
        limits.querySeconds = 2
        let message = try #require(try error(of: HostileScript(mode), limits, restarts: 1))
        #expect(message.contains("gave no answer to a query within 2.0 s; it was killed"))
        #expect(message.contains("complaint") == (mode == "flood-error"))
        #expect(message.count < 2000)
    }

    @Test(arguments: [
        ("garbage", "answered '\\u{1b}[31m%$ no JSON at all \\u{202e}': this is no JSON object"),
        ("binary", "this is no JSON object"), ("empty-line", "answered '': this is no JSON object"),
        ("list", "answered '[1, 2]'"), ("nan", "this is no JSON object"), ("infinite", "offsetSeconds"),
        ("percent", "`answers[0].frequencySkew` is 2.0; expected a fraction"),
        ("confidence", "`answers[0].confidence` is 97.5; expected a probability in 0...1"),
        ("unknown", "`answers[0].id` is 'r-nobody'; expected the id of an enrolled reference"),
        ("text", "`answers[0].offsetSeconds` is no number"),
        ("eleven", "gave 11 answers; expected at most 10"),
        ("error", "says: cannot <b>read\\u{202e}\\u{a} this"),
    ])
    func aWrongAnswerIsAnErrorOfItsQueryAlone(_ mode: String, _ expected: String) throws {
        let message = try #require(try error(of: HostileScript(mode), limits, restarts: 0))
        #expect(message.contains(expected), "\(message)")
    }

    @Test func aMegabyteOfComplaintsIsNoError() throws {
        #expect(try error(of: HostileScript("talkative-error"), limits, restarts: 0) == nil)
    }

    @Test func aRestartEnrolsInTheSameOrder() throws {
        let script = try HostileScript("die", at: 1)
        let matcher = try taught(script, limits)
        let learnt = script.enrolled
        #expect(throws: ExternalMatcherError.self) { try matcher.identify(Query(name: "1", audio: audio)) }
        _ = try matcher.identify(Query(name: "2", audio: audio))
        #expect(learnt.count == 2 && script.enrolled == learnt + learnt)
    }

    @Test(.timeLimit(.minutes(1))) func anAdapterThatFloodsAtTheEndIsKilledInTime() throws {
        let script = try HostileScript("flood-at-end")
        var limits = limits
        limits.exitSeconds = 0.5
        let matcher = try taught(script, limits)
        let began = ContinuousClock.now
        matcher.end()
        #expect(ContinuousClock.now - began < .seconds(20))
        for instance in script.instances { #expect(!HostileScript.isAlive(instance.process)) }
    }

    @Test func aQueryThatCannotBeWrittenIsNoFailureOfTheAdapter() throws {
        let script = try HostileScript("die", at: 100)
        let matcher = try taught(script, limits)
        let folder = try #require(script.instances.first?.folder)
        let audioFolder = URL(fileURLWithPath: folder).deletingLastPathComponent().path + "/audio"
        try FileManager.default.removeItem(atPath: audioFolder)
        let error = #expect(throws: MachineError.self) {
            try matcher.identify(Query(name: "1", audio: audio))
        }
        #expect(error?.description.contains("No such file") == true)
        // The adapter itself goes on.
        try FileManager.default.createDirectory(atPath: audioFolder, withIntermediateDirectories: false)
        #expect(try matcher.identify(Query(name: "2", audio: audio)).count == 1)
        #expect(matcher.restartCount == 0)
    }

    @Test func afterTheLastRestartEveryQueryFailsWithTheLastError() throws {
        let script = try HostileScript("die")
        var limits = limits
        limits.restarts = 0
        let matcher = try taught(script, limits)
        _ = try matcher.identify(Query(name: "1", audio: audio))
        for number in 2...4 {
            let error = try #require(throws: ExternalMatcherError.self) {
                try matcher.identify(Query(name: "\(number)", audio: audio))
            }
            #expect(error.description.contains("out of luck"))
            #expect(error.description.contains("not started again") == (number > 2))
        }
    }

    @Test func aFailedStartHasItsReason() throws {
        for (line, expected) in [
            ("/nonexistent/program", "there is no file \"/nonexistent/program\""),
            ("catt x", "PATH has no program \"catt\". Did you mean \"cat\"?"),
            ("sh -c 'echo no >&2; exit 4'", "ends: no"),
            ("sh -c 'read line; echo hello'", "answered 'hello'"), ("true", "closed its standard output"),
        ] {
            let error = try #require(throws: ExternalMatcherError.self) {
                try ExternalMatcher(ExternalCommand(line), limits: limits)
            }
            #expect(error.description.contains(expected), "\(error)")
        }
        #expect(throws: ExternalMatcherError.self) { try ExternalCommand("  ") }
        #expect(throws: ExternalMatcherError.self) { try ExternalCommand("program 'unclosed") }
    }

    @Test(arguments: [
        ("odd-name", "`name` holds 'host\\u{1b}[31mile'"), ("odd-version", "`version` holds '1\\u{a}2'"),
        ("odd-key", "`settings` holds 'c\\u{202e}'"), ("odd-value", "`settings` holds 'x\\u{7}'"),
    ])
    func controlCharactersAreRefusedInNames(_ mode: String, _ expected: String) throws {
        let script = try HostileScript(mode)
        let error = try #require(throws: ExternalMatcherError.self) {
            try ExternalMatcher(ExternalCommand(script.commandLine), limits: limits)
        }
        #expect(error.description.contains(expected), "\(error)")
    }

    @Test func settingsAndCommandLineAreItsIdentity() throws {
        let script = try HostileScript("none")
        let matcher = try taught(script, limits)
        #expect(matcher.name == "hostile" && matcher.version == "1")
        #expect(matcher.settings == ["a": "1", "b": "true", "c": "x", "command line": script.commandLine])
        let timed = try matcher.identifyTimed(Query(name: "q", audio: audio))
        let processor = try #require(timed.processorMilliseconds)
        #expect(timed.milliseconds > 0 && processor >= 0)
        let (seconds, bytes) = (try #require(matcher.processorSeconds), try #require(matcher.peakMemoryBytes))
        #expect(seconds > 0 && bytes > 1 << 20)
    }
}
