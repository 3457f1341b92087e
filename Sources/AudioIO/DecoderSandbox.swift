import AudioCore
import Glibc
import Synchronization
import SystemIO

/// Processes of their own for what parses files, so that a file can harm no more than its own.
///
/// The kernel limits their memory and processor time. It lets them read the file and write samples: they can neither open
/// files, use the network nor start programs. One process starts them all, so that a file costs a millisecond more.
package final class DecoderSandbox: Sendable {
    /// The program that decodes when its first argument is ``DecoderProcess/argument``.
    private let program: String
    /// How long a decoder may need for a block, in seconds.
    let stallSeconds: Double
    private let limits: ProcessLimits
    private let nurse = Mutex<Nurse?>(nil)

    /// - Parameter program: The path of `earshot`; by default this program.
    package init(
        program: String = "/proc/self/exe", stallSeconds: Double = 60, memoryBytes: UInt = 1 << 29,
        processorSeconds: UInt = 3600
    ) {
        self.program = program
        self.stallSeconds = stallSeconds
        limits = ProcessLimits(
            memoryBytes: memoryBytes, processorSeconds: processorSeconds, openFiles: 32, isConfined: true)
    }

    private static let chosen = Mutex<DecoderSandbox?>(nil)

    /// Where this process decodes files of others; nil for the process itself.
    package static var current: DecoderSandbox? { chosen.withLock { $0 } }

    /// Decodes files of others in `sandbox` from now on.
    ///
    /// - Throws: ``AudioFileError`` where the kernel cannot confine processes so.
    package static func use(_ sandbox: DecoderSandbox) throws {
        guard ProcessStart.canConfine else { throw Self.isNotConfined(name: "the decoders") }
        chosen.withLock { $0 = sandbox }
    }

    static func isNotConfined(name: String) -> AudioFileError {
        AudioFileError(
            .decoderFailed, path: name,
            "the kernel cannot confine a process (seccomp is not available); --no-sandbox goes without")
    }

    /// Starts a decoder of `file`, which waits for a request and puts samples into the memory.
    func start(_ file: VirtualFile, name: String) throws -> (DecoderSocket, DecoderRing) {
        do throws(ProcessStart.Failure) {
            let (own, its) = try ProcessStart.socketPair(SOCK_SEQPACKET)
            let socket = DecoderSocket(own, stallSeconds: stallSeconds)
            defer { close(its) }
            let memory = try SharedMemory(byteCount: DecoderRing.byteCount)
            let descriptors = try (its, file.descriptor(), memory.descriptor)
            let result = nurse.withLock { nurse in
                Result { () throws(ProcessStart.Failure) in
                    if let old = nurse, (try? old.request(descriptors)) != nil { return }
                    // There was none, or something ended it.
                    let new = try Nurse(program, limits)
                    nurse = new
                    try new.request(descriptors)
                }
            }
            try result.get()
            return (socket, DecoderRing(memory))
        } catch {
            throw AudioFileError(
                .decoderFailed, path: name, "a confined process cannot be started: \(error)")
        }
    }
}

/// The process that starts decoders.
private final class Nurse: Sendable {
    private let control: Int32
    private let process: pid_t

    init(_ program: String, _ limits: ProcessLimits) throws(ProcessStart.Failure) {
        let (own, its) = try ProcessStart.socketPair(SOCK_SEQPACKET)
        defer { close(its) }
        control = own
        // It reads no file, and starts many.
        let unlimited = ProcessLimits(memoryBytes: .max, processorSeconds: .max, openFiles: .max)
        do throws(ProcessStart.Failure) {
            process = try ProcessStart.spawn(
                program,
                [DecoderProcess.argument] + [limits.memoryBytes, limits.processorSeconds].map { "\($0)" },
                streams: [
                    .descriptor(its), .file("/dev/null", flags: O_WRONLY),
                    .file("/dev/null", flags: O_WRONLY),
                ], environment: ["SWIFT_BACKTRACE=enable=no"], limits: unlimited)
        } catch {
            close(own)
            throw error
        }
    }

    deinit {
        close(control)
        // Its decoders end with it.
        kill(process, SIGKILL)
        _ = ProcessStart.wait(for: process)
    }

    func request(
        _ descriptors: (socket: Int32, file: Int32, memory: Int32)
    ) throws(ProcessStart.Failure) {
        try ProcessStart.request(descriptors, at: control)
    }
}
