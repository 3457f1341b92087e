import AudioCore
import AudioIO
import Foundation
import SystemIO
import TestSupport
import Testing

/// Decoders in processes of their own give what they give in this one.
@Suite(.enabled(if: SystemCallFilters.areOffered, "the kernel offers no filters of system calls"))
struct SandboxTests {
    private static let sandbox = DecoderSandbox(program: EarshotProcess.binary)
    private static let audio = TestSignals.noise(seed: 8, seconds: 2, sampleRate: 48_000, channelCount: 2)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Reading: Equatable {
        var samples: [Float] = []
        var facts: [String]
        var failure: AudioFileError?

        init(_ open: () throws -> AudioFileReader) {
            facts = []
            do {
                let reader = try open()
                while let block = try reader.read(maxFrames: 5000) { samples += block.interleaved }
                facts = [
                    "\(reader.sampleRate), \(reader.channelCount), \(reader.formatName)",
                    "\(reader.linearSamples as Any), \(reader.damage as Any), \(reader.mixing as Any)",
                ]
            } catch { failure = error as? AudioFileError }
        }
    }

    private func expectSame(_ bytes: [UInt8], name: String) throws {
        let path = folder.file(name)
        try AtomicFile.write(bytes, to: path)
        let here = Reading { try AudioFileReader(path: path, in: nil) }
        let apart = Reading { try AudioFileReader(path: path, in: Self.sandbox) }
        #expect(
            here == apart,
            "\(name): \(here.facts) \(here.failure as Any), \(apart.facts) \(apart.failure as Any)")
        // Without `ffmpeg`, as the server decodes.
        let inMemory = [nil, Self.sandbox].map { sandbox in
            Reading { try AudioFileReader(bytes: bytes, name: name, startsPrograms: false, in: sandbox) }
        }
        #expect(inMemory[0] == inMemory[1], "\(name)")
    }

    @Test func everyEncodingIsTheSame() throws {
        for encoding in AudioEncoding.all
        where encoding.program == nil && encoding.takes(sampleRate: 48_000) {
            let audio =
                encoding.maxChannels > 1
                ? Self.audio : AudioBuffer(samples: Self.audio.mono(), sampleRate: 48_000)
            try expectSame(
                AudioFile.encode(audio, as: encoding), name: "\(encoding.name).\(encoding.fileExtension)")
        }
    }

    @Test(arguments: ["wav-pcm16", "wav-pcm24", "flac-16", "mp3-128k", "ogg-vorbis-q0.3", "ogg-opus-64k"])
    func whatIsWrongWithAFileIsTheSame(name: String) throws {
        let bytes = try AudioFile.encode(Self.audio, as: #require(AudioEncoding(name)))
        try expectSame(Array(bytes.prefix(bytes.count / 2)), name: "cut")
        try expectSame(bytes + bytes, name: "joined")
        let float = try AudioFile.encode(Self.audio, as: #require(AudioEncoding("wav-float")))
        try expectSame(bytes + float, name: "mixed")
        var generator = SeededGenerator(seed: 3)
        for number in 0..<10 {
            var bad = bytes
            for _ in 0..<40 {
                bad[Int.random(in: 0..<bad.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            try expectSame(bad, name: "bad\(number)")
        }
    }

    /// Samples without a header are known by the extension of the file.
    @Test(arguments: ["raw.vox", "raw.gsm", "raw.au", "raw.xyz"]) func extensionsAreTheSame(name: String)
        throws
    {
        var generator = SeededGenerator(seed: 3)
        try expectSame((0..<20_000).map { _ in .random(in: 128...255, using: &generator) }, name: name)
    }

    @Test func aDecoderHasNoMoreMemoryThanItMayUse() throws {
        let path = folder.file("song.wav")
        try AudioFile.write(Self.audio, to: path, as: #require(AudioEncoding("wav-pcm16")))
        let small = DecoderSandbox(program: EarshotProcess.binary, memoryBytes: 10 << 20)
        let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: path, in: small) }
        #expect(error?.code == .decoderEnded)
    }

    @Test func commandsDecodeInProcessesOfTheirOwn() throws {
        let path = folder.file("song.flac")
        try AudioFile.write(Self.audio, to: path, as: #require(AudioEncoding("flac-16")))
        for options in ["", "--sandbox"] {
            let run = try EarshotProcess(
                shell:
                    "cd '\(folder.path)' && \"$EARSHOT\" signature -i song.flac -o s\(options) \(options)")
            #expect(run.status == 0, "\(run)")
        }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder.file("s")))
                == Data(contentsOf: URL(fileURLWithPath: folder.file("s--sandbox"))))
    }

    /// After its filter is in place, a decoder opens nothing and starts nothing.
    @Test(.enabled(if: Strace.isWanted, "strace is not installed, or may not trace"))
    func aDecoderOnlyReadsWhatItHas() throws {
        try AudioFile.write(Self.audio, to: folder.file("song.flac"), as: #require(AudioEncoding("flac-16")))
        let run = try EarshotProcess(
            shell:
                "cd '\(folder.path)' && exec strace -ff -qq -o trace \"$EARSHOT\" signature --sandbox"
                + " -i song.flac -o s")
        #expect(run.status == 0, "\(run)")
        let traces = try folder.names().filter { $0.hasPrefix("trace.") }.map {
            try String(contentsOfFile: folder.file($0), encoding: .utf8)
        }
        let decoders = traces.filter { $0.contains("\"\(DecoderProcess.argument)\"") }
        #expect(decoders.count == 2)
        for trace in decoders {
            let filter = try #require(trace.ranges(of: "PR_SET_SECCOMP").last)
            let lines = trace[filter.upperBound...].split(separator: "\n").dropFirst()
            let calls = Set(lines.map { $0.prefix { $0 != "(" } })
            #expect(calls.contains("pread64") && calls.contains("write"))
            #expect(
                calls.isDisjoint(with: ["open", "openat", "socket", "clone", "clone3", "execve"]), "\(calls)")
        }
    }
}
