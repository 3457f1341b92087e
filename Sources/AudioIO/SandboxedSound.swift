import Glibc
import SystemIO

/// A file that libsndfile reads in a process of its own.
final class SandboxedSound: SoundUnits {
    let facts: SoundFacts
    private(set) var position = 0
    private(set) var failure: String?
    private(set) var readFailure: Int32?

    private var inbox: Inbox

    /// Waits until the decoder has opened what `place` says; errors call the file `name`.
    init(
        _ place: SoundPlace, of file: VirtualFile, in sandbox: DecoderSandbox, name: String
    ) throws(AudioFileError) {
        var inbox = try Inbox(place, of: file, in: sandbox, name: name)
        let message = try inbox.message()
        let values = Array(message.values)
        let text = try inbox.text(message.textCount)
        switch message.kind {
        case .refused where values[1] != 0:
            throw VirtualFile.error(Int32(truncatingIfNeeded: values[1]), name: name)
        case .refused:
            throw AudioFileError(values[0] == 0 ? .notAudio : .unreadable, path: name, text)
        case .opened
        where (1...Int(Int32.max)).contains(values[0]) && (1...1024).contains(values[1])
            && values[2] >= 0:
            facts = SoundFacts(
                sampleRate: values[0], channelCount: values[1], frameCount: values[2],
                format: Int32(truncatingIfNeeded: values[3]), isBigEndian: values[4] != 0)
        default: throw inbox.nonsense
        }
        self.inbox = inbox
    }

    func read(into target: UnsafeMutableRawPointer) throws(AudioFileError) -> Int {
        let message = try inbox.message()
        let values = Array(message.values)
        let count = values[0]
        guard message.kind == .unit, (0...SoundFacts.unitFrames).contains(count), values[1] >= 0 else {
            throw inbox.nonsense
        }
        try inbox.take(count * facts.frameBytes, into: target)
        position = values[1]
        readFailure = values[2] == 0 ? nil : Int32(truncatingIfNeeded: values[2])
        let text = try inbox.text(message.textCount)
        failure = text.isEmpty ? nil : text
        return count
    }
}

/// What a decoder writes, byte after byte.
private struct Inbox {
    private let process: RunningProcess
    private let stallSeconds: Double
    private let name: String
    private var bytes = [UInt8](repeating: 0, count: 1 << 17)
    private var waiting = 0..<0

    init(
        _ place: SoundPlace, of file: VirtualFile, in sandbox: DecoderSandbox, name: String
    ) throws(AudioFileError) {
        self.name = name
        stallSeconds = sandbox.stallSeconds
        do throws(ProcessStart.Failure) {
            let request = try ProcessStart.file(with: place.bytes)
            defer { close(request) }
            process = try RunningProcess(
                sandbox.program, [DecoderProcess.argument], limits: sandbox.limits, input: request,
                file: file.descriptor)
        } catch {
            throw AudioFileError(
                .decoderFailed, path: name, "a confined process cannot be started: \(error)")
        }
    }

    mutating func message() throws(AudioFileError) -> DecoderMessage {
        var numbers = [Int](repeating: 0, count: DecoderMessage.numberCount)
        let head = UnsafeMutablePointer<Int>.allocate(capacity: numbers.count)
        defer { head.deallocate() }
        try take(DecoderMessage.headBytes, into: UnsafeMutableRawPointer(head))
        for index in numbers.indices { numbers[index] = head[index] }
        guard let message = DecoderMessage(numbers) else { throw nonsense }
        return message
    }

    mutating func text(_ count: Int) throws(AudioFileError) -> String {
        guard count > 0 else { return "" }
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { text.deallocate() }
        if let start = text.baseAddress { try take(count, into: start) }
        return String(decoding: text, as: UTF8.self)
    }

    mutating func take(_ count: Int, into target: UnsafeMutableRawPointer) throws(AudioFileError) {
        var done = 0
        while done < count {
            if waiting.isEmpty { try receive() }
            let part = min(waiting.count, count - done)
            UnsafeMutableRawBufferPointer(start: target + done, count: part)
                .copyBytes(from: bytes[waiting].prefix(part))
            waiting = (waiting.lowerBound + part)..<waiting.upperBound
            done += part
        }
    }

    private mutating func receive() throws(AudioFileError) {
        let (process, deadline) = (process, ContinuousClock.now + .seconds(stallSeconds))
        let count = bytes.withUnsafeMutableBytes { process.read(into: $0, until: deadline) { _ in } }
        waiting = 0..<count
        guard count == 0 else { return }
        switch process.end {
        case .exited(DecoderProcess.unconfinedCode):
            throw AudioFileError(
                .decoderFailed, path: name, "the kernel cannot confine a process (seccomp is not available)")
        case .timedOut:
            throw AudioFileError(
                .decoderEnded, path: name, "its decoder did not decode on in \(stallSeconds) s")
        case .signalled(let signal):
            throw AudioFileError(.decoderEnded, path: name, ForeignTrack.words(ofSignal: signal))
        default: throw nonsense
        }
    }

    var nonsense: AudioFileError {
        AudioFileError(.decoderEnded, path: name, "its decoder ended without an answer")
    }
}
