import AudioCore
import AudioIO
import Foundation
import Matchers
import SystemIO

/// The temporary folders of a running adapter: its working directory, and one for audio.
final class AdapterFolder: Sendable {
    let path: String
    let work: String
    private let audio: String

    init() throws {
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(base)/earshot-adapter-\(UUID().uuidString)"
        work = path + "/work"
        audio = path + "/audio"
        for folder in [work, audio] {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw MachineError("\(folder): the folder cannot be made: \(error.localizedDescription)")
            }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Calls `body` with the path of a 16-bit WAV file of these samples, and then removes it.
    ///
    /// More than two channels are mixed into one. Samples beyond full scale are scaled down, never clipped.
    /// - Throws: ``ExternalMatcherError`` for audio that cannot be passed on: no sample, or a rate beyond 8–192 kHz.
    ///   `FileWriteError` if the file cannot be written.
    func withFile<T>(_ name: String, of buffer: AudioBuffer, _ body: (String) throws -> T) throws -> T {
        guard buffer.frameCount > 0 else {
            throw ExternalMatcherError("a query without a sample is not passed on")
        }
        let encoding = try Self.encoding(sampleRate: buffer.sampleRate)
        var buffer = buffer
        if buffer.channelCount > 2 {
            buffer = AudioBuffer(samples: buffer.mono(), sampleRate: buffer.sampleRate)
        }
        let peak = buffer.peak
        if peak > 1 {
            buffer = AudioBuffer(
                samples: buffer.samples.map { $0 / peak }, sampleRate: buffer.sampleRate,
                channelCount: buffer.channelCount)
        }
        let file = file(name)
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Self.write(buffer, as: encoding, to: file)
        return try body(file)
    }

    /// Calls `body` with the path of a 32-bit float WAV file of these samples and with a path to write to, and then removes
    /// both files.
    ///
    /// - Throws: `FileWriteError` if the file cannot be written.
    func withFloats<T>(of buffer: AudioBuffer, _ body: (_ path: String, _ output: String) throws -> T) throws
        -> T
    {
        guard let encoding = AudioEncoding("wav-float") else { preconditionFailure("no 32-bit float WAV") }
        let (path, output) = (file("in"), file("out"))
        defer { for file in [path, output] { try? FileManager.default.removeItem(atPath: file) } }
        try Self.write(buffer, as: encoding, to: path)
        return try body(path, output)
    }

    private static func write(_ buffer: AudioBuffer, as encoding: AudioEncoding, to file: String) throws {
        let bytes = try AudioFile.encode(buffer, as: encoding)
        let appender = try FileAppender(opening: file, flags: O_WRONLY | O_CREAT | O_TRUNC, for: file)
        try appender.append(bytes)
        try appender.close()
    }

    /// Begins a 16-bit WAV file of one or two channels that stays as long as the folder.
    ///
    /// - Throws: ``ExternalMatcherError`` for a rate beyond 8–192 kHz.
    func begin(_ name: String, sampleRate: Int, channelCount: Int) throws -> AudioFileWriter {
        try AudioFileWriter(
            path: file(name), encoding: Self.encoding(sampleRate: sampleRate), sampleRate: sampleRate,
            channelCount: channelCount)
    }

    /// The path in this folder of a file that was begun in `first`, which may be that of an earlier process.
    func path(of name: String, begunIn first: AdapterFolder) throws -> String {
        let path = file(name)
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.linkItem(atPath: first.file(name), toPath: path)
        }
        return path
    }

    private func file(_ name: String) -> String { "\(audio)/\(name).wav" }

    private static func encoding(sampleRate: Int) throws -> AudioEncoding {
        guard (8000...192_000).contains(sampleRate), let encoding = AudioEncoding("wav-pcm16") else {
            throw ExternalMatcherError("audio of \(sampleRate) Hz is not passed on, only 8000 to 192000 Hz")
        }
        return encoding
    }
}
