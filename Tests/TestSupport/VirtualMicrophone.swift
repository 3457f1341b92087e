import AudioCore
import AudioIO
import Foundation
import Synchronization

/// A sound server of its own whose default source hears what is played here; ends when its owner lets go of it.
///
/// It is started by `scripts/with-virtual-microphone.sh`, as the server around all tests is.
public final class VirtualMicrophone {
    /// Whether the tests run beside a virtual microphone, so that there is what it needs.
    public static var isAvailable: Bool { environment["EARSHOT_VIRTUAL_MICROPHONE"] != nil }
    /// Whether no test may be left out for what it lacks.
    public static var isRequired: Bool { environment["EARSHOT_EVERY_TEST"] != nil }

    /// The server's address, as PULSE_SERVER takes it.
    public let server: String

    private let folder: TemporaryFolder
    private let script: Mutex<ShellCommand?>

    /// Starts the server.
    public init() throws {
        folder = try TemporaryFolder()
        // The script's command lasts until the script is told to end, or this process has gone.
        let script = try ShellCommand(
            "exec '\(PackageFolder.path)/scripts/with-virtual-microphone.sh' sh -c "
                + "'echo $PPID; echo $PULSE_SERVER; while kill -0 \(getpid()); do sleep 1; done'")
        guard let process = script.readLine().flatMap({ pid_t($0) }), let server = script.readLine() else {
            throw VirtualMicrophoneError(description: "no server started")
        }
        script.process = process
        self.server = server
        self.script = Mutex(script)
    }

    deinit {
        stop()
    }

    /// Ends the server and waits until it has gone; recordings that are open are best closed before.
    public func stop() {
        let running = script.withLock { script in
            defer { script = nil }
            return script
        }
        guard let running, let process = running.process else { return }
        kill(process, SIGTERM)
        _ = running.end()
    }

    /// Plays audio from beginning to end; returns once all of it has sounded.
    public func play(_ audio: AudioBuffer) throws {
        try run("paplay", "--device=speaker", write(audio))
    }

    /// Plays audio while `body` runs, from its beginning, again and again for two minutes.
    public func play<R>(
        _ audio: AudioBuffer, isolation: isolated (any Actor)? = #isolation, during body: () async throws -> R
    ) async throws -> R {
        let times = Int((120 / audio.durationSeconds).rounded(.up))
        let repeated = audio.mapChannels { once in
            Array(repeatElement(Array(once), count: times).joined())
        }
        let player = try ShellCommand(
            "echo $$; PULSE_SERVER='\(server)' exec paplay --device=speaker '\(write(repeated))'")
        guard let process = player.readLine().flatMap({ pid_t($0) }) else {
            throw VirtualMicrophoneError(description: "no player started")
        }
        defer {
            // Threads of a pool block other signals, and so do the processes that they start.
            kill(process, SIGKILL)
            _ = player.end()
        }
        return try await body()
    }

    private func write(_ audio: AudioBuffer) throws -> String {
        guard let encoding = AudioEncoding("wav-float") else {
            throw VirtualMicrophoneError(description: "no encoding")
        }
        let path = folder.file("\(UUID().uuidString).wav")
        try AudioFile.write(audio, to: path, as: encoding)
        return path
    }

    /// Suspends the microphone: it may be opened still, and nothing comes from it.
    public func suspend() throws { try run("pactl", "suspend-source", "microphone", "1") }

    /// Takes all sources away.
    public func removeSources() throws {
        try run("pactl", "unload-module", "module-remap-source")
        try run("pactl", "unload-module", "module-null-sink")
    }

    /// The number of recordings that the server serves at present.
    public func recordingCount() throws -> Int {
        try run("pactl", "list", "short", "source-outputs").split(separator: "\n")
            // The virtual microphone itself listens to the speaker.
            .filter { !$0.contains("module-remap-source.c") }.count
    }

    @discardableResult
    private func run(_ program: String, _ arguments: String...) throws -> String {
        let words = [program] + arguments.map { "'\($0)'" }
        let command = try ShellCommand("PULSE_SERVER='\(server)' \(words.joined(separator: " "))")
        var text = ""
        while let line = command.readLine() { text += line + "\n" }
        let status = command.end()
        guard status == 0 else {
            throw VirtualMicrophoneError(description: "\(program) ended with status \(status)")
        }
        return text
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}

/// A command of the shell whose output is read.
///
/// Foundation's `Process` is no choice: it takes a child for running as long as another child holds a file that both
/// inherited.
private final class ShellCommand: @unchecked Sendable {
    // Sendable: one thread at a time has it.
    var process: pid_t?
    private let stream: UnsafeMutablePointer<FILE>

    init(_ command: String) throws {
        guard let stream = popen(command, "re") else {
            throw VirtualMicrophoneError(description: "no shell: \(String(cString: strerror(errno)))")
        }
        self.stream = stream
    }

    /// The next line of the output, without its end; nil when there is none.
    func readLine() -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        guard getline(&line, &capacity, stream) > 0, let line else { return nil }
        return String(cString: line).trimmingCharacters(in: .newlines)
    }

    /// Waits until the command has ended, and returns its status; to be called once.
    func end() -> Int32 { pclose(stream) }
}

/// A virtual microphone that could not be started or used.
public struct VirtualMicrophoneError: Error, CustomStringConvertible {
    /// What went wrong.
    public let description: String
}
