import Foundation
import SystemIO

/// A file that libsndfile reads in a process of its own.
final class SandboxedSound: SoundUnits {
    let facts: SoundFacts
    private let inbox: Inbox

    /// Waits until the decoder has opened what `place` says; errors call the file `name`.
    init(_ place: SoundPlace, of file: VirtualFile, in sandbox: DecoderSandbox, name: String) throws {
        inbox = try Inbox(place, of: file, in: sandbox, name: name)
        let message = try inbox.message()
        let values = Array(message.values)
        let text = try inbox.text(message.textCount)
        // The caller has room for the channels of bare samples.
        let channelCounts = place.samples.map { $0.channelCount...$0.channelCount } ?? 1...1024
        switch message.kind {
        case .refused where values[1] != 0:
            throw VirtualFile.error(Int32(truncatingIfNeeded: values[1]), name: name)
        case .refused:
            throw AudioFileError(values[0] == 0 ? .notAudio : .unreadable, path: name, text)
        case .opened
        where (1...Int(Int32.max)).contains(values[0]) && channelCounts.contains(values[1])
            && values[2] >= 0:
            facts = SoundFacts(
                sampleRate: values[0], channelCount: values[1], frameCount: values[2],
                format: Int32(truncatingIfNeeded: values[3]), isBigEndian: values[4] != 0)
        default: throw inbox.nonsense
        }
    }

    func read(into target: UnsafeMutableRawPointer) throws -> SoundUnit {
        let message = try inbox.message()
        let values = Array(message.values)
        guard message.kind == .unit, (0...SoundFacts.unitFrames).contains(values[0]),
            (0...VirtualFile.maximumSize).contains(values[1])
        else { throw inbox.nonsense }
        try inbox.take(UnsafeMutableRawBufferPointer(start: target, count: values[0] * facts.frameBytes))
        let text = try inbox.text(message.textCount)
        return SoundUnit(
            frameCount: values[0], position: values[1], failure: text.isEmpty ? nil : text,
            readFailure: values[2] == 0 ? nil : Int32(truncatingIfNeeded: values[2]))
    }
}

/// What a decoder writes, byte after byte.
private final class Inbox {
    private let process: RunningProcess
    private let stallSeconds: Double
    private let name: String
    private var bytes = [UInt8](repeating: 0, count: 1 << 17)
    private var waiting = 0..<0

    init(_ place: SoundPlace, of file: VirtualFile, in sandbox: DecoderSandbox, name: String) throws {
        self.name = name
        stallSeconds = sandbox.stallSeconds
        let text = try Array(JSONEncoder().encode(place))
        do throws(ProcessStart.Failure) {
            let request = try ProcessStart.file(with: text)
            defer { close(request) }
            process = try RunningProcess(
                sandbox.program, [DecoderProcess.argument], limits: sandbox.limits, input: request,
                file: file.descriptor())
        } catch {
            throw AudioFileError(
                .decoderFailed, path: name, "a confined process cannot be started: \(error)")
        }
    }

    func message() throws -> DecoderMessage {
        var numbers = [Int](repeating: 0, count: DecoderMessage.numberCount)
        try numbers.withUnsafeMutableBytes { try take($0) }
        guard let message = DecoderMessage(numbers) else { throw nonsense }
        return message
    }

    func text(_ count: Int) throws -> String {
        var text = [UInt8](repeating: 0, count: count)
        try text.withUnsafeMutableBytes { try take($0) }
        return String(decoding: text, as: UTF8.self)
    }

    func take(_ target: UnsafeMutableRawBufferPointer) throws {
        var rest = target
        while !rest.isEmpty {
            if waiting.isEmpty { try receive() }
            let count = min(waiting.count, rest.count)
            rest.copyBytes(from: bytes[waiting].prefix(count))
            waiting = (waiting.lowerBound + count)..<waiting.upperBound
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        }
    }

    private func receive() throws {
        let deadline = ContinuousClock.now + .seconds(stallSeconds)
        let count = bytes.withUnsafeMutableBytes { process.read(into: $0, until: deadline) { _ in } }
        waiting = 0..<count
        guard count == 0 else { return }
        try process.requireOwnEnd(after: stallSeconds, name: name)
        guard process.end == .exited(DecoderProcess.unconfinedCode) else { throw nonsense }
        throw AudioFileError(
            .decoderFailed, path: name, "the kernel cannot confine a process (seccomp is not available)")
    }

    var nonsense: AudioFileError {
        AudioFileError(.decoderEnded, path: name, "its decoder ended without an answer")
    }
}

extension RunningProcess {
    /// Throws if a signal ended it, or if it was killed because it wrote nothing for `stallSeconds`.
    ///
    /// Errors call its file `name`.
    func requireOwnEnd(after stallSeconds: Double, name: String) throws(AudioFileError) {
        switch end {
        case .timedOut:
            throw AudioFileError(
                .decoderEnded, path: name, "its decoder did not decode on in \(stallSeconds) s")
        case .signalled(let signal):
            throw AudioFileError(
                .decoderEnded, path: name,
                "its decoder was ended by signal \(signal) (\(String(cString: strsignal(signal))))")
        default: break
        }
    }
}
