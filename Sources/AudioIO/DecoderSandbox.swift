import AudioCore
import Synchronization
import SystemIO

/// Processes of their own for the decoders of files, so that a file can harm no more than its decoder.
///
/// The kernel limits their memory and processor time. It lets them read what they have open and write samples: they can
/// neither write files, use the network nor start programs.
package struct DecoderSandbox: Sendable {
    /// The program that decodes when its only argument is ``DecoderProcess/argument``.
    let program: String
    /// How long a decoder may need for a block, in seconds.
    let stallSeconds: Double
    let limits: ProcessLimits

    /// - Parameter program: The path of `earshot`; by default this program.
    package init(
        program: String = "/proc/self/exe", stallSeconds: Double = 60, memoryBytes: UInt = 1 << 30,
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
        let sound = try AudioFile.encode(
            AudioBuffer(samples: [0], sampleRate: 8000, channelCount: 1), as: AudioEncoding.wave[0])
        let reader = try AudioFileReader(
            bytes: sound, name: "the sandbox of decoders", startsPrograms: false, in: sandbox)
        _ = try reader.read(maxFrames: 1)
        chosen.withLock { $0 = sandbox }
    }
}
