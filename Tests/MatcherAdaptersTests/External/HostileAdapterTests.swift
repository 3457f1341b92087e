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
        ("binary", "expected UTF-8"), ("latin-1", "expected UTF-8"),
        ("twice", "`score` is there twice; expected each key once"),
        ("empty-line", "answered '': this is no JSON object"),
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

    @Test(arguments: ["null-position", "no-position"]) func anAnswerNeedsNoPosition(_ mode: String) throws {
        let script = try HostileScript(mode)
        let matcher = try taught(script, limits)
        let offsets = try (1...3).map {
            try matcher.identify(Query(name: "\($0)", audio: audio)).map(\.offsetSeconds)
        }
        #expect(offsets == [[1], [nil], [1]] && script.queries.count == 3)
    }

    /// Nothing tells these signals from those of somebody else.
    @Test(arguments: ["killed", "terminated"]) func aQueryAtWhichSomebodyEndsTheAdapterIsAskedOnceMore(
        _ mode: String
    )
        throws
    {
        var limits = limits
        // It is no failure, so no number of failures forbids the start.
        limits.restarts = 0
        let script = try HostileScript(mode)
        let matcher = try taught(script, limits)
        for number in 1...5 {
            #expect(try matcher.identify(Query(name: "\(number)", audio: audio)).count == 1)
        }
        #expect(script.queries.count == 6 && matcher.restartCount == 1)
    }

    @Test(arguments: [("killed-twice", 9), ("terminated-twice", 15)])
    func aQueryAtWhichThatHappensTwiceIsNotMeasured(_ mode: String, _ signal: Int) throws {
        let script = try HostileScript(mode)
        let matcher = try taught(script, limits)
        var errors: [String] = []
        for number in 1...5 {
            do { _ = try matcher.identify(Query(name: "\(number)", audio: audio)) } catch let error
                as NotMeasured
            {
                errors.append("\(number) \(error)")
            }
        }
        #expect(errors.count == 1 && errors.first?.hasPrefix("2 hostile closed") == true, "\(errors)")
        #expect(errors.first?.contains("it was ended by signal \(signal)") == true, "\(errors)")
        #expect(script.queries.count == 6 && matcher.restartCount == 2)
    }

    @Test func anAnswerMayBeRelated() throws {
        let script = try HostileScript("related")
        let matcher = try taught(script, limits)
        let answers = try (1...3).flatMap { try matcher.identify(Query(name: "\($0)", audio: audio)) }
        #expect(answers.map(\.isRelated) == [false, true, false] && script.queries.count == 3)
        // Other answers are stored as before.
        let texts = try answers.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        #expect(texts.map { $0.contains("related") } == [false, true, false])
    }

    /// Asks for the passages of a recording that is given in two blocks.
    private func passages(of matcher: ExternalMatcher) throws -> [Passage] {
        let start = try #require(matcher.powers.startPassages)
        var stream = try start(audio.sampleRate, 1)
        for _ in 0..<2 { #expect(try stream.append(audio).isEmpty) }
        return try stream.finish()
    }

    @Test(arguments: ["killed", "terminated"]) func aRecordingAtWhichSomebodyEndsTheAdapterIsAskedOnceMore(
        _ mode: String
    ) throws {
        let script = try HostileScript(mode, at: 1)
        let matcher = try taught(script, limits)
        let folder = try #require(script.instances.first?.folder)
        let found = try passages(of: matcher)
        #expect(found.map(\.queryRange) == [0...0.25] && script.queries.count == 2)
        #expect(Set(script.queries).count == 1 && matcher.restartCount == 1)
        matcher.end()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(arguments: [("killed-twice", 9), ("terminated-twice", 15)])
    func aRecordingAtWhichThatHappensTwiceIsNotMeasured(_ mode: String, _ signal: Int) throws {
        let script = try HostileScript(mode, at: 1)
        let matcher = try taught(script, limits)
        let error = #expect(throws: NotMeasured.self) { try passages(of: matcher) }
        #expect(error?.description.contains("it was ended by signal \(signal)") == true)
        #expect(script.queries.count == 2)
        #expect(try passages(of: matcher).count == 1)
    }

    @Test(arguments: [("die", "out of luck", 1), ("error", "cannot <b>read", 0), ("garbage", "no JSON", 0)])
    func aFaultAtARecordingIsTheAdapters(_ mode: String, _ words: String, _ restarts: Int) throws {
        let script = try HostileScript(mode, at: 1)
        let matcher = try taught(script, limits)
        let error = #expect(throws: ExternalMatcherError.self) { try passages(of: matcher) }
        #expect(error?.description.contains(words) == true && script.queries.count == 1)
        #expect(try passages(of: matcher).count == 1 && matcher.restartCount == restarts)
    }

    @Test func whatIsEndedAgainAndAgainEndsTheRun() throws {
        var limits = limits
        limits.kills = 1
        let script = try HostileScript("killed-twice")
        let matcher = try taught(script, limits)
        _ = try matcher.identify(Query(name: "1", audio: audio))
        let error = #expect(throws: MachineError.self) {
            try matcher.identify(Query(name: "2", audio: audio))
        }
        #expect(error?.description.contains("hostile was ended 2 times by a signal") == true)
        #expect(script.queries.count == 3)
    }

    @Test func anEndWhileItLearnsIsNoFaultOfTheAdapter() throws {
        let script = try HostileScript("killed-early")
        let matcher = try ExternalMatcher(ExternalCommand(script.commandLine), limits: limits)
        #expect(throws: MachineError.self) { try matcher.enrol(id: "a", audio: audio) }
        #expect(script.enrolled.count == 1)
    }

    @Test func anAdapterIsToldNothing() throws {
        setenv("EARSHOT_TEST_SECRET", "plan", 1)
        setenv("EARSHOT_TEST_NAMED", "yes", 1)
        let script = try HostileScript("tell")
        let matcher = try ExternalMatcher(
            ExternalCommand(script.commandLine, variables: ["EARSHOT_TEST_NAMED"]), limits: limits)
        try matcher.enrol(id: "a", audio: audio)
        _ = try matcher.finishEnrolment()
        for number in 1...2 { _ = try matcher.identify(Query(name: "\(number)", audio: audio)) }
        let known = [
            "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TMPDIR", "EARSHOT_WORK",
            "EARSHOT_TEST_NAMED",
            // A shell sets these.
            "PWD", "OLDPWD", "SHLVL", "_",
        ]
        let told = script.told
        let names = told.dropLast().filter { !$0.contains("PYENV_") }
        #expect(names.contains("EARSHOT_TEST_NAMED") && names.contains("PATH"), "\(told)")
        #expect(Set(names).subtracting(known).isEmpty)
        let line = try #require(told.last).split(separator: "\0").map(String.init)
        #expect(line.count == 1 && line.first?.contains("earshotPackageTests") == true, "the judge: \(line)")
        #expect(CommandLine.arguments.count > 1, "the judge itself still knows it")
    }

    @Test func noTwoQueriesHaveOneName() throws {
        let script = try HostileScript("die", at: 100)
        let (first, second) = (try taught(script, limits), try taught(script, limits))
        for matcher in [first, second, first] { _ = try matcher.identify(Query(name: "1", audio: audio)) }
        #expect(Set(script.queries).count == 3 && script.queries.count == 3)
        // Names of references decide ties, so they stay.
        #expect(Set(script.enrolled).count == 2)
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
