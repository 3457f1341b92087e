import AudioCore
import Foundation
import Matchers
import Synchronization
import SystemIO

/// A matcher in its own process that speaks JSON Lines, as `scripts/adapters/CONTRACT.md` says.
///
/// It asks one question at a time, from whichever thread. An impossible answer is an error of its query. A process
/// that dies, hangs or breaks the protocol is killed with all its children. For the next query it is started again
/// after a pause, and its references are enrolled again. This happens at most ``ExternalLimits/restarts`` times; then
/// every query fails with the last error.
package final class ExternalMatcher: RemoteMatcher {
    package let name: String
    package let version: String
    /// The settings it states, and the command as `command line`.
    package let settings: [String: String]
    private let command: ExternalCommand
    private let limits: ExternalLimits
    private let findsPassages: Bool
    /// What it is configured with each time it starts; nil leaves it as it is.
    private let configuration: [String: SettingValue]?
    private let explains: Bool
    private let state: Mutex<State>

    private struct State {
        var conversation: AdapterConversation?
        var references: [String] = []
        var isReady = false
        var source: (@Sendable (String) throws -> AudioBuffer)?
        var restarts = 0
        /// How often a signal from outside ended it.
        var kills = 0
        var lastFailure = ""
        var pastProcessorSeconds = 0.0
        var pastPeakBytes = 0
    }

    /// Starts the adapter and asks what it is.
    ///
    /// - Parameters:
    ///   - tunables: The settings that it states; empty if nobody asked.
    ///   - chosen: Those that differ from its defaults. It then gets the value of every setting.
    /// - Throws: ``ExternalMatcherError``.
    package init(
        _ command: ExternalCommand, limits: ExternalLimits = ExternalLimits(),
        tunables: [TunableSetting] = [],
        chosen: [String: Double] = [:]
    ) throws {
        self.command = command
        self.limits = limits
        let values = tunables.map { ($0.name, SettingValue(chosen[$0.name] ?? $0.standard, of: $0)) }
        configuration = chosen.isEmpty ? nil : Dictionary(values, uniquingKeysWith: { $1 })
        let conversation = try AdapterConversation(command, limits: limits)
        try Self.configure(conversation, as: configuration)
        name = conversation.hello.name
        version = conversation.hello.version
        findsPassages = conversation.hello.has(.passages)
        explains = conversation.hello.has(.explain)
        settings = (conversation.hello.settings ?? [:]).mapValues(\.text)
            .merging((configuration ?? [:]).mapValues(\.text), uniquingKeysWith: { $1 })
            .merging(["command line": command.text], uniquingKeysWith: { $1 })
            .merging(
                command.variables.isEmpty
                    ? [:] : ["variables": command.variables.sorted().joined(separator: " ")],
                uniquingKeysWith: { $1 })
        var state = State()
        state.conversation = conversation
        self.state = Mutex(state)
    }

    /// The settings that the program states; it is started for that, and ends.
    ///
    /// - Throws: ``ExternalMatcherError``.
    package static func tunables(
        of command: ExternalCommand, limits: ExternalLimits = ExternalLimits()
    ) throws -> [TunableSetting] {
        let conversation = try AdapterConversation(command, limits: limits)
        defer { conversation.process.end() }
        guard conversation.hello.protocol >= 3 else { return [] }
        return try SettingStatement.tunables(conversation.hello.tunables ?? [])
    }

    private static func configure(
        _ conversation: AdapterConversation, as configuration: [String: SettingValue]?
    ) throws {
        if let configuration { try conversation.configure(configuration) }
    }

    package var powers: MatcherPowers {
        MatcherPowers(
            explain: explains ? explain : nil, startPassages: findsPassages ? startPassages : nil,
            remote: self)
    }

    /// Ends the adapter and waits for all its processes; later queries fail.
    package func end() {
        state.withLock { state in
            state.conversation?.process.end()
            state.conversation = nil
            state.restarts = limits.restarts
            state.lastFailure = "was ended"
        }
    }

    /// Sets the source of references for a restart.
    package func setReferenceSource(_ source: @escaping @Sendable (String) throws -> AudioBuffer) {
        state.withLock { $0.source = source }
    }

    /// Enrols one recording.
    ///
    /// - Throws: ``ExternalMatcherError`` when the adapter refuses it, or the process is lost.
    package func enrol(id: String, audio: AudioBuffer) throws {
        try state.withLock { state in
            try learning { try converse(&state) { try $0.enrol(audio, id: id, as: Self.referenceName(id)) } }
            state.references.append(id)
        }
    }

    package func finishEnrolment() throws -> Int? {
        try state.withLock { state in
            let indexBytes = try learning { try converse(&state) { try $0.ready() } }
            state.isReady = true
            return indexBytes
        }
    }

    /// - Throws: ``ExternalMatcherError`` for a refused query or a fault of the adapter, `NotMeasured` for one of the
    ///   machine.
    package func identify(_ query: Query) throws -> [Candidate] {
        try state.withLock { state in
            try undisturbed(&state) { try $0.identify(query.audio, as: Self.queryName) }
        }
    }

    /// Measures the time without the writing of the query's file.
    ///
    /// - Throws: As ``identify(_:)``.
    package func identifyTimed(_ query: Query) throws -> TimedAnswers {
        try state.withLock { state in
            try timed(&state) { try $0.identifyTimed(query.audio, as: Self.queryName) }
        }
    }

    private func startPassages(sampleRate: Int, channelCount: Int) throws -> any PassageStream {
        let name = Self.queryName
        let folder = try state.withLock { state in try converse(&state) { $0.process.folder } }
        let writer = try folder.begin(name, sampleRate: sampleRate, channelCount: channelCount)
        return ExternalPassages(writer: writer) { [self] seconds in
            try state.withLock { state in
                try undisturbed(&state) { conversation in
                    let path = try conversation.process.folder.path(of: name, begunIn: folder)
                    return try conversation.passages(path: path, seconds: seconds, as: name)
                }
            }
        }
    }

    private func explain(_ query: Query, _ places: [ReferencePlace]) throws -> MatchExplanation {
        try state.withLock { state in
            try undisturbed(&state) { try $0.explain(query.audio, at: places, as: Self.queryName) }
        }
    }

    /// Processor seconds of all its processes so far, those that were restarted included; nil while it is dead.
    package var processorSeconds: Double? {
        state.withLock { state in
            state.conversation?.processorSeconds.map { $0 + state.pastProcessorSeconds }
        }
    }

    /// The greatest memory of all its processes together, in bytes.
    package var peakMemoryBytes: Int? {
        state.withLock { state in
            state.conversation?.process.notePeak()
            let peak = max(state.pastPeakBytes, state.conversation?.process.peakBytes ?? 0)
            return peak > 0 ? peak : nil
        }
    }

    package var restartCount: Int { state.withLock { $0.restarts } }

    /// Asks, and once more where the machine stood still meanwhile, or somebody ended the adapter.
    ///
    /// The second answer counts, also if the machine stood still again. A failure then tells nothing.
    private func undisturbed<T>(
        _ state: inout State, _ ask: (AdapterConversation) throws -> T
    ) throws -> T {
        let first = asked(&state, ask)
        guard let disturbance = first.disturbance else { return try first.answer.get() }
        let second = asked(&state, ask)
        if case .failure(let error) = second.answer, error is ExternalMatcherError,
            let again = second.disturbance
        {
            throw NotMeasured("\(disturbance); then \(again)")
        }
        return try second.answer.get()
    }

    /// Asks once, because a second time it would know the query; nothing that disturbs it has a time.
    private func timed<T>(_ state: inout State, _ ask: (AdapterConversation) throws -> T) throws -> T {
        let only = asked(&state, ask)
        if let disturbance = only.disturbance { throw NotMeasured(disturbance) }
        return try only.answer.get()
    }

    /// The answer, and what the machine did meanwhile.
    private func asked<T>(
        _ state: inout State, _ ask: (AdapterConversation) throws -> T
    ) -> (answer: Result<T, any Error>, disturbance: String?) {
        let stopped = RunningClock.stoppedSeconds
        let answer = Result { try converse(&state, ask) }
        if case .failure(let error as ExternalMatcherError) = answer, error.isFromOutside {
            return (answer, error.description)
        }
        let isStopped = RunningClock.stoppedSeconds > stopped
        return (answer, isStopped ? "the machine stood still while \(name) was asked" : nil)
    }

    /// Teaches it; what ends it from outside is then no fault of its own.
    private func learning<T>(_ teach: () throws -> T) throws -> T {
        do { return try teach() } catch let error as ExternalMatcherError where error.isFromOutside {
            throw MachineError("\(error), while it learnt the references; the same command starts again")
        }
    }

    /// Talks to the adapter, which is restarted if necessary.
    ///
    /// - Throws: ``ExternalMatcherError`` for a fault of the adapter, `MachineError` for any other.
    private func converse<T>(_ state: inout State, _ body: (AdapterConversation) throws -> T) throws -> T {
        do {
            return try body(try living(&state))
        } catch let error as ExternalMatcherError {
            let words = "\(name) \(error)"
            if error.isFatal, let lost = state.conversation {
                state.pastProcessorSeconds += lost.processorSeconds ?? 0
                state.pastPeakBytes = max(state.pastPeakBytes, lost.process.peakBytes)
                state.conversation = nil
                state.lastFailure = words
                if error.isFromOutside { try count(&state) }
            }
            throw ExternalMatcherError(words, isFromOutside: error.isFromOutside)
        } catch let error where !(error is MachineError) {
            throw MachineError("\(name) cannot be asked: \(error)")
        }
    }

    private func living(_ state: inout State) throws -> AdapterConversation {
        if let conversation = state.conversation { return conversation }
        guard state.isReady, let source = state.source else {
            throw ExternalMatcherError(
                "is not started again, for its references are gone: \(state.lastFailure)")
        }
        guard state.restarts - state.kills < limits.restarts else {
            throw ExternalMatcherError(
                "is not started again after \(state.restarts - state.kills) times: \(state.lastFailure)")
        }
        let failures = max(0, state.restarts - state.kills)
        Thread.sleep(forTimeInterval: limits.backOffSeconds * Double(1 << min(failures, 10)))
        state.restarts += 1
        do {
            let conversation = try retaught(state.references, from: source)
            state.conversation = conversation
            return conversation
        } catch let error as ExternalMatcherError {
            state.lastFailure = "could not be taught again: \(error)"
            if error.isFromOutside { try count(&state) }
            throw ExternalMatcherError(state.lastFailure, isFromOutside: error.isFromOutside)
        }
    }

    /// Counts an end from outside; no run goes on after too many.
    private func count(_ state: inout State) throws {
        state.kills += 1
        guard state.kills <= limits.kills else {
            throw MachineError(
                "\(name) was ended \(state.kills) times by a signal that it does not get by a fault of its own. Find what sends "
                    + "it, a lack of memory for example; the same command goes on. The last time: \(state.lastFailure)"
            )
        }
    }

    private func retaught(
        _ references: [String], from source: (String) throws -> AudioBuffer
    ) throws -> AdapterConversation {
        let conversation = try AdapterConversation(command, limits: limits)
        let hello = conversation.hello
        guard hello.name == name, hello.version == version else {
            throw ExternalMatcherError("calls itself \(hello.name) \(hello.version) now")
        }
        try Self.configure(conversation, as: configuration)
        for id in references { try conversation.enrol(source(id), id: id, as: Self.referenceName(id)) }
        _ = try conversation.ready()
        return conversation
    }

    /// The name of a reference, the same in every run, so that it decides ties in the same way.
    private static func referenceName(_ id: String) -> String { name("r", StableHash.of("adapter", id)) }

    /// A name that no query had or will have; nothing follows from it.
    private static var queryName: String { name("q", .random(in: 0 ... .max)) }

    private static func name(_ prefix: String, _ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return prefix + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// An error of an external matcher, in one line: what it did and what was expected.
package struct ExternalMatcherError: Error, CustomStringConvertible, Sendable {
    package let description: String
    let isFatal: Bool
    /// Whether a signal ended the process that no program gets by a fault of its own.
    let isFromOutside: Bool

    init(_ description: String, isFatal: Bool = false, isFromOutside: Bool = false) {
        self.description = description
        self.isFatal = isFatal
        self.isFromOutside = isFromOutside
    }
}

/// The limits of an external matcher; beyond them the process and all its children are killed.
package struct ExternalLimits: Sendable, Hashable {
    /// Seconds from the start to the answer to `hello`.
    package var helloSeconds = 60.0
    package var enrolSeconds = 300.0
    package var readySeconds = 900.0
    package var querySeconds = 30.0
    package var exitSeconds = 2.0
    /// The memory of all its processes together, in bytes; by default three quarters of this machine's.
    ///
    /// Checked every 0.2 s during an answer, as the sum of resident sets. Pages that two processes share count twice.
    package var memoryBytes = Int(ProcessInfo.processInfo.physicalMemory / 4 * 3)
    package var lineBytes = 1 << 20
    package var explanationBytes = 4 << 20
    package var complaintBytes = 1 << 16
    package var restarts = 5
    /// How often a signal from outside may end it in a run; these restarts do not count in ``restarts``.
    package var kills = 50
    /// The pause before the first restart, in seconds; it doubles with each restart.
    package var backOffSeconds = 0.25

    package init() {}
}
