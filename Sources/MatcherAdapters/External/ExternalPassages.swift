import AudioCore
import AudioIO
import Matchers

/// Writes a recording to a file and then asks an adapter for all its passages, once more if the machine disturbed it.
struct ExternalPassages: PassageStream {
    /// A WAV file cannot be longer.
    private static let mostBytes = 4_294_000_000

    private let writer: AudioFileWriter
    /// Gets the length of the file in seconds.
    private let ask: (Double) throws -> [Passage]
    private var frameCount = 0
    private var sampleRate = 1

    init(writer: AudioFileWriter, ask: @escaping (Double) throws -> [Passage]) {
        self.writer = writer
        self.ask = ask
    }

    mutating func append(_ block: AudioBuffer) throws -> [Passage] {
        frameCount += block.frameCount
        sampleRate = block.sampleRate
        guard frameCount * block.channelCount * 2 <= Self.mostBytes else {
            throw ExternalMatcherError("a recording of more than 4 GB is not passed on")
        }
        try ofMachine { try writer.append(block) }
        return []
    }

    mutating func finish() throws -> [Passage] {
        try ofMachine { try writer.finish() }
        return try ask(Double(frameCount) / Double(sampleRate))
    }

    /// A file that cannot be written is no fault of the adapter.
    private func ofMachine(_ write: () throws -> Void) throws {
        do { try write() } catch { throw MachineError("\(error)") }
    }
}
