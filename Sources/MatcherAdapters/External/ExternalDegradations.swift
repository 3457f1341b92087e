import AudioCore
import AudioIO
import Degradations
import Evaluation
import Foundation
import Matchers
import Synchronization
import SystemIO

/// Degradations of a program that speaks JSON Lines, as `scripts/adapters/DEGRADATIONS.md` says.
///
/// Each thread that makes queries has a process of the program. A part of the queries is degraded twice, because a
/// degradation that gives other samples at each call can be measured by nobody. What the program does wrong ends the run.
package final class ExternalDegradations: DegradationProgram {
    package let offered: [OfferedDegradation]
    private let command: ExternalCommand
    private let workers: [DegradationWorker]

    /// Starts the program and asks what it offers.
    ///
    /// - Throws: ``ExternalMatcherError``.
    package init(_ request: DegradationRequest) throws {
        let command = try ExternalCommand(request.command, variables: request.variables ?? [])
        var limits = ExternalLimits()
        limits.querySeconds = request.limitSeconds ?? limits.querySeconds
        self.command = command
        workers = (0..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map { [limits] _ in
            DegradationWorker(command, limits)
        }
        offered = try workers[0].offered()
    }

    package func degrade(
        _ audio: AudioBuffer, by name: String, version: String?, severity: Double?, seed: Int
    ) throws -> DegradedAudio {
        guard let one = offered.first(where: { $0.name == name }) else {
            throw DegradationProgramError(
                name, "`\(command.text)` does not offer it\(offered.map(\.name).suggestion(for: name))")
        }
        if let version, one.version != version {
            throw DegradationProgramError(
                name, "is of version \(one.version) now; the queries were planned with version \(version)")
        }
        let request = AdapterRequest(op: "degrade", name: name, severity: severity, seed: seed)
        // A worker that is idle, else the first one once it is.
        for worker in workers {
            if let degraded = try worker.degradeIfIdle(audio, request, one) { return degraded }
        }
        return try workers[0].degrade(audio, request, one)
    }
}

/// A process of a program of degradations, which one thread uses at a time.
private final class DegradationWorker: Sendable {
    private let command: ExternalCommand
    private let limits: ExternalLimits
    private let state = Mutex(State())

    private struct State {
        var conversation: ProgramConversation?
        var offered: [OfferedDegradation] = []
        /// The names of the degradations that this process was asked for.
        var asked: Set<String> = []
    }

    /// Of this many queries, one is degraded twice.
    private static let share = 8

    init(_ command: ExternalCommand, _ limits: ExternalLimits) {
        self.command = command
        self.limits = limits
    }

    func offered() throws -> [OfferedDegradation] {
        try state.withLock { state in
            _ = try living(&state)
            return state.offered
        }
    }

    func degrade(
        _ audio: AudioBuffer, _ request: AdapterRequest, _ one: OfferedDegradation
    ) throws -> DegradedAudio {
        try state.withLock { try checked(&$0, audio, request, one) }
    }

    /// Nil if another thread uses the process.
    func degradeIfIdle(
        _ audio: AudioBuffer, _ request: AdapterRequest, _ one: OfferedDegradation
    ) throws -> DegradedAudio? {
        try state.withLockIfAvailable { try checked(&$0, audio, request, one) }
    }

    /// Degrades, and now and then once more.
    private func checked(
        _ state: inout State, _ audio: AudioBuffer, _ request: AdapterRequest, _ one: OfferedDegradation
    ) throws -> DegradedAudio {
        do {
            let conversation = try living(&state)
            guard state.offered.contains(one) else {
                throw ExternalMatcherError("offers another version of it at a second start")
            }
            let degraded = try answer(to: request, audio, one.name, conversation)
            let isFirst = state.asked.insert(one.name).inserted
            guard isFirst || (request.seed ?? 0) % Self.share == 0 else { return degraded }
            guard try answer(to: request, audio, one.name, conversation).isSame(as: degraded) else {
                throw DegradationProgramError(
                    one.name,
                    "gave other samples when it was asked again with the same clip, severity and seed. "
                        + "Let the seed alone decide random numbers")
            }
            return degraded
        } catch let error as ExternalMatcherError {
            state.conversation = nil
            throw DegradationProgramError(one.name, "`\(command.text)` \(error)")
        }
    }

    private func living(_ state: inout State) throws -> ProgramConversation {
        if let conversation = state.conversation { return conversation }
        let (conversation, hello) = try ProgramConversation.start(
            command, limits: limits,
            hello: AdapterRequest(op: "hello", protocol: DegradationsAnswer.protocol),
            as: DegradationsAnswer.self
        ) { try $0.check() }
        state = State(conversation: conversation, offered: hello.degradations)
        return conversation
    }

    private func answer(
        to request: AdapterRequest, _ audio: AudioBuffer, _ name: String, _ conversation: ProgramConversation
    ) throws -> DegradedAudio {
        try conversation.process.folder.withFloats(of: audio) { path, output in
            var request = request
            (request.path, request.output) = (path, output)
            let answer = try conversation.ask(
                request, limits.querySeconds, "a query", as: DegradeAnswer.self)
            guard answer.ok else {
                throw ExternalMatcherError("`ok` is false; expected true, or an `error`")
            }
            guard FileManager.default.fileExists(atPath: output) else {
                throw DegradationProgramError(name, "wrote no file to `output`")
            }
            return DegradedAudio(
                try samples(output, atMost: 2 * audio.samples.count + audio.sampleRate, name),
                delaySeconds: answer.delaySeconds)
        }
    }

    private func samples(_ path: String, atMost most: Int, _ name: String) throws -> AudioBuffer {
        do {
            if let audio = try AudioFile.read(AudioFileReader(path: path), atMost: most) { return audio }
        } catch let error as AudioFileError {
            let message = "its output cannot be read: \(error)".replacing(path, with: "FILE")
            throw DegradationProgramError(name, message)
        }
        throw DegradationProgramError(
            name, "gave more than \(most) samples; expected the length of its input")
    }
}

extension DegradedAudio {
    /// Whether delay and samples are equal bit by bit.
    fileprivate func isSame(as other: DegradedAudio) -> Bool {
        delaySeconds == other.delaySeconds && audio.digest == other.audio.digest
    }
}
