import AudioCore
import Foundation
import Matchers
import Synchronization

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
    private let state: Mutex<State>

    private struct State {
        var conversation: AdapterConversation?
        var references: [String] = []
        var isReady = false
        var source: (@Sendable (String) throws -> AudioBuffer)?
        var restarts = 0
        var lastFailure = ""
        var pastProcessorSeconds = 0.0
        var pastPeakBytes = 0
    }

    /// Starts the adapter and asks what it is.
    ///
    /// - Throws: ``ExternalMatcherError``.
    package init(_ command: ExternalCommand, limits: ExternalLimits = ExternalLimits()) throws {
        self.command = command
        self.limits = limits
        let conversation = try AdapterConversation(command, limits: limits)
        name = conversation.hello.name
        version = conversation.hello.version
        findsPassages = conversation.hello.protocol >= 2
        settings = (conversation.hello.settings ?? [:]).mapValues(\.text)
            .merging(["command line": command.text], uniquingKeysWith: { $1 })
        var state = State()
        state.conversation = conversation
        self.state = Mutex(state)
    }

    package var powers: MatcherPowers {
        MatcherPowers(startPassages: findsPassages ? startPassages : nil, remote: self)
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
            try converse(&state) { try $0.enrol(audio, id: id, as: Self.opaque("r", id)) }
            state.references.append(id)
        }
    }

    package func finishEnrolment() throws -> Int? {
        try state.withLock { state in
            let indexBytes = try converse(&state) { try $0.ready() }
            state.isReady = true
            return indexBytes
        }
    }

    /// - Throws: ``ExternalMatcherError`` for a refused query or a fault of the adapter.
    package func identify(_ query: Query) throws -> [Candidate] {
        try state.withLock { state in
            try converse(&state) { try $0.identify(query.audio, as: Self.opaque("q", query.name)) }
        }
    }

    /// Measures the time without the writing of the query's file.
    ///
    /// - Throws: ``ExternalMatcherError`` for a refused query or a fault of the adapter.
    package func identifyTimed(_ query: Query) throws -> TimedAnswers {
        try state.withLock { state in
            try converse(&state) { try $0.identifyTimed(query.audio, as: Self.opaque("q", query.name)) }
        }
    }

    private func startPassages(sampleRate: Int, channelCount: Int) throws -> any PassageStream {
        let name = Self.opaque("q", "recording")
        let (writer, path) = try state.withLock { state in
            try converse(&state) {
                try $0.process.folder.begin(name, sampleRate: sampleRate, channelCount: channelCount)
            }
        }
        return ExternalPassages(writer: writer) { [self] seconds in
            try state.withLock { state in
                try converse(&state) { try $0.passages(path: path, seconds: seconds, as: name) }
            }
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
            }
            throw ExternalMatcherError(words)
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
        guard state.restarts < limits.restarts else {
            throw ExternalMatcherError(
                "is not started again after \(state.restarts) times: \(state.lastFailure)")
        }
        Thread.sleep(forTimeInterval: limits.backOffSeconds * Double(1 << min(state.restarts, 10)))
        state.restarts += 1
        do {
            let conversation = try retaught(state.references, from: source)
            state.conversation = conversation
            return conversation
        } catch let error as ExternalMatcherError {
            state.lastFailure = "could not be taught again: \(error)"
            throw ExternalMatcherError(state.lastFailure)
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
        for id in references { try conversation.enrol(source(id), id: id, as: Self.opaque("r", id)) }
        _ = try conversation.ready()
        return conversation
    }

    private static func opaque(_ prefix: String, _ name: String) -> String {
        let digits = String(StableHash.of("adapter", name), radix: 16)
        return prefix + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// An error of an external matcher, in one line: what it did and what was expected.
package struct ExternalMatcherError: Error, CustomStringConvertible, Sendable {
    package let description: String
    let isFatal: Bool

    init(_ description: String, isFatal: Bool = false) {
        self.description = description
        self.isFatal = isFatal
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
    package var complaintBytes = 1 << 16
    package var restarts = 5
    /// The pause before the first restart, in seconds; it doubles with each restart.
    package var backOffSeconds = 0.25

    package init() {}
}
