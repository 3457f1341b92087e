import AudioCore
import AudioIO
import Foundation
import Synchronization

/// A separate sound server whose default source records what is played here; ends when it is deallocated.
///
/// `scripts/with-virtual-microphone.sh` starts it, and the server around all tests.
public final class VirtualMicrophone {
    /// Whether the tests run with a virtual microphone.
    public static var isAvailable: Bool { environment["EARSHOT_VIRTUAL_MICROPHONE"] != nil }
    /// Whether a test may not be skipped for a missing requirement.
    public static var isRequired: Bool { environment["EARSHOT_EVERY_TEST"] != nil }

    /// The server's address for PULSE_SERVER.
    public let server: String

    private let folder: TemporaryFolder
    private let script: Mutex<ShellCommand?>

    /// Starts the server.
    public init() throws {
        folder = try TemporaryFolder()
        // The script's command runs until the script or this process ends.
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

    /// Ends the server and waits for its end; close open recordings before.
    public func stop() {
        let running = script.withLock { script in
            defer { script = nil }
            return script
        }
        guard let running, let process = running.process else { return }
        kill(process, SIGTERM)
        _ = running.end()
    }

    /// Plays audio and returns at its end.
    public func play(_ audio: AudioBuffer) throws {
        try run("paplay", "--device=speaker", write(audio))
    }

    /// Plays audio repeatedly while `body` runs, for at most two minutes.
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
            // Threads of a pool block other signals, and their child processes inherit that.
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

    /// Suspends the microphone, which can then be opened but sends nothing.
    public func suspend() throws { try run("pactl", "suspend-source", "microphone", "1") }

    /// Removes all sources.
    public func removeSources() throws {
        try run("pactl", "unload-module", "module-remap-source")
        try run("pactl", "unload-module", "module-null-sink")
    }

    /// The number of active recordings of the server.
    public func recordingCount() throws -> Int {
        try run("pactl", "list", "short", "source-outputs").split(separator: "\n")
            // The virtual microphone itself records the speaker.
            .filter { !$0.contains("module-remap-source.c") }.count
    }

    /// The number of programs that play.
    public func playbackCount() throws -> Int {
        try run("pactl", "list", "short", "sink-inputs").split(separator: "\n").count
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

/// A shell command whose output is read.
///
/// Foundation's `Process` does not notice the end of a child while another child has an inherited file open.
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
