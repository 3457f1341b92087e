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
                    "\(reader.linearSamples as Any), \(reader.damage as Any), \(reader.remark as Any)",
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

    @Test(arguments: ["mp3", "flac", "ogg", "m4a", "wav", "aiff"]) func tagsAreTheSame(fileExtension: String)
        throws
    {
        let path = folder.file("song.\(fileExtension)")
        let run = try EarshotProcess(
            shell: """
                ffmpeg -nostdin -v error -f lavfi -i sine=d=1 -metadata title=Étude -metadata artist='A; B' -y '\(path)'
                """)
        try #require(run.status == 0, "ffmpeg is needed for this test")
        let reader = try AudioFileReader(path: path, in: Self.sandbox)
        _ = try reader.skip()
        let tags = try reader.tags()
        #expect(tags == AudioTags(path: path))
        #expect(tags.title == "Étude" && (tags.artist == "A; B" || fileExtension == "aiff"), "\(tags)")
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
        for options in ["--no-sandbox", "--sandbox"] {
            let run = try EarshotProcess(
                shell:
                    "cd '\(folder.path)' && \"$EARSHOT\" signature -i song.flac -o s\(options) \(options)")
            #expect(run.status == 0, "\(run)")
        }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder.file("s--no-sandbox")))
                == Data(contentsOf: URL(fileURLWithPath: folder.file("s--sandbox"))))
    }

    /// No byte of a file is read outside confined processes, which open and start nothing.
    @Test(
        .enabled(if: Strace.isWanted, "strace is not installed, or may not trace"),
        arguments: [
            "wav", "flac", "mp3", "ogg", "opus", "aiff", "au", "caf", "w64", "m4a", "aac", "ac3", "mka",
            "webm", "wma",
            "ts", "m2ts", "flv", "wv", "tta", "mov", "avi",
        ])
    func aDecoderOnlyReadsWhatItHas(format: String) throws {
        try AudioFile.write(Self.audio, to: folder.file("song.wav"), as: #require(AudioEncoding("wav-pcm16")))
        let name = "song.\(format)"
        let run = try EarshotProcess(
            shell: """
                cd '\(folder.path)' && { [ -e \(name) ] || ffmpeg -v error -i song.wav \(name); } && exec strace -ff -qq \
                -o trace sh -c '"$EARSHOT" custom-catalog create -s \(name) -o c.earcatalog && \
                "$EARSHOT" match --catalog c.earcatalog \(name)'
                """)
        #expect(run.status == 0, "\(run)")
        #expect(try decoders(of: name) >= 2)
    }

    @Test(.enabled(if: Strace.isWanted, "strace is not installed, or may not trace"))
    func aServerReadsNoAudioItself() throws {
        try AudioFile.write(Self.audio, to: folder.file("song.wav"), as: #require(AudioEncoding("wav-pcm16")))
        let made = try EarshotProcess(
            shell: "cd '\(folder.path)' && \"$EARSHOT\" custom-catalog create -s song.wav -o c.earcatalog")
        #expect(made.status == 0, "\(made)")
        let server = try ServerProcess(
            ["--catalog", folder.file("c.earcatalog"), "--accept-audio"],
            through: ["/usr/bin/strace", "-D", "-ff", "-qq", "-o", folder.file("trace")])
        let body = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file("song.wav"))))
        for _ in 1...2 {
            let answer = try RawConnection.ask(server.port, "POST", "/v1/recognise", body: body)
            #expect(answer?.status == 200)
        }
        _ = try server.end()
        #expect(try decoders(of: "song.wav") == 2)
    }

    /// How many decoders the traces in the folder have; checks what they and the others call.
    private func decoders(of name: String) throws -> Int {
        let traces = try folder.names().filter { $0.hasPrefix("trace.") }.map {
            try String(contentsOfFile: folder.file($0), encoding: .utf8)
        }
        var decoders = 0
        for trace in traces {
            let lines = trace.split(separator: "\n")
            if let filter = lines.lastIndex(where: { $0.contains("PR_SET_SECCOMP") }) {
                // A decoder, or a program as which it goes on.
                guard !trace.contains("execve(") else { continue }
                decoders += 1
                let calls = Set(
                    lines[(filter + 1)...].filter { !$0.contains(" = -1 ") }.map { $0.prefix { $0 != "(" } })
                #expect(
                    calls.isDisjoint(with: ["open", "openat", "socket", "clone", "clone3", "fork", "execve"]),
                    "\(calls)")
                continue
            }
            // The command opens the file, and reads nothing of it until it closes it, but the eight bytes that tell its own files.
            for (place, line) in lines.enumerated()
            where line.hasPrefix("openat") && line.contains("\"\(name)\"") {
                let descriptor = line.split(separator: " ").last ?? ""
                let open = lines[place...].prefix { !$0.hasPrefix("close(\(descriptor))") }
                #expect(
                    !open.contains {
                        ($0.hasPrefix("read(\(descriptor),") || $0.hasPrefix("pread64(\(descriptor),"))
                            && !$0.contains(", 8) ")
                    })
            }
        }
        return decoders
    }
}
