import AudioCore
import AudioIO
import Glibc
import SystemIO
import TestSupport
import Testing

/// What a decoder does that is no decoder, or no longer one.
@Suite(.enabled(if: SystemCallFilters.areOffered, "the kernel offers no filters of system calls"))
struct DecoderSandboxTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("song.wav")
        try AudioFile.write(
            TestSignals.noise(seed: 1, seconds: 1, sampleRate: 8000), to: path,
            as: try #require(AudioEncoding("wav-pcm16")))
    }

    /// Reads the file with a shell script in place of the decoder.
    private func error(of script: String, stallSeconds: Double = 600) throws -> AudioFileError? {
        let program = folder.file("decoder")
        try AtomicFile.write("#!/bin/sh\n\(script)\n", to: program)
        try #require(chmod(program, 0o755) == 0)
        let sandbox = DecoderSandbox(program: program, stallSeconds: stallSeconds, processorSeconds: 1)
        while true {
            let error = #expect(throws: AudioFileError.self, "\(script)") {
                let reader = try AudioFileReader(path: path, in: sandbox)
                while try reader.read(maxFrames: 1000) != nil {}
            }
            // A process that another test just starts may still have the new script open.
            guard let error, error.message.hasSuffix("Text file busy") else { return error }
            usleep(10_000)
        }
    }

    private static func printing(_ numbers: [Int]) -> String {
        let bytes = numbers.withUnsafeBytes { Array($0) }
        let octal = bytes.map { "\\" + String(UInt16($0) + 0o1000, radix: 8).dropFirst() }
        return "printf '\(octal.joined())'; "
    }

    @Test func aDecoderThatMisbehavesIsAnErrorOfTheFile() throws {
        // 8000 Hz, one channel, 65,535 frames of a WAV file of 16 bits.
        let opened = Self.printing([1, 0, 8000, 1, 65_535, 0x1_0002, 0, 0])
        for script in [
            "exit 0", "exit 1", "head -c 1000 /dev/zero", Self.printing([Int](repeating: -1, count: 8)),
            "while :; do :; done", opened, opened + "while :; do :; done",
            // More frames than a unit has, a place behind all files, a text without end, another kind of message, no
            // channel.
            opened + Self.printing([2, 0, 1 << 40, 0, 0, 0, 0, 0]),
            opened + Self.printing([2, 0, 0, .max, 0, 0, 0, 0]),
            opened + Self.printing([2, 1 << 40, 0, 0, 0, 0, 0, 0]), opened + opened,
            Self.printing([1, 0, 8000, 0, 65_535, 0x1_0002, 0, 0]),
        ] {
            let error = try error(of: script)
            #expect(error?.code == .decoderEnded && error?.path == path, "\(script): \(error as Any)")
        }
        let error = try error(of: "exec sleep 600", stallSeconds: 0.5)
        #expect(error?.message == "its decoder did not decode on in 0.5 s")
    }

    /// The samples behind a wrong length are read by another decoder, for which the caller has room already.
    @Test func aDecoderThatChangesTheChannelsIsAnErrorOfTheFile() throws {
        let rest = Self.printing([1, 0, 8000, 2, 65_535, 0x1_0002, 0, 0])
        let beginning =
            Self.printing([1, 0, 8000, 1, 65_535, 0x1_0002, 0, 0])
            + Self.printing([2, 0, 0, 100, 0, 0, 0, 0])
        let error = try error(
            of: """
                exec < /proc/self/fd/0
                read -r order
                case $order in *frameBytes*) \(rest) ;; *) \(beginning) ;; esac
                """)
        #expect(error?.code == .decoderEnded, "\(error as Any)")
    }

    @Test func aMachineThatCannotConfineIsNoFaultOfTheFile() throws {
        let error = try error(of: "exit 3")
        #expect(error?.code == .decoderFailed)
        let missing = #expect(throws: AudioFileError.self) {
            try AudioFileReader(path: path, in: DecoderSandbox(program: folder.file("missing")))
        }
        #expect(missing?.code == .decoderFailed)
    }

    /// Each does something without a sandbox, and nothing in it.
    @Test(arguments: [
        ("echo x > written", "written"), ("touch touched", "touched"), ("mkdir made", "made"),
        ("exec mv song.wav moved", "moved"), ("exec ln song.wav linked", "linked"), ("(echo x)", "x"),
        ("exec 2>&1; : > /dev/tcp/127.0.0.1/1", "refused"), ("kill -0 $PPID && echo permitted", "permitted"),
    ])
    func confinedProgramsOnlyRead(script: String, trace: String) throws {
        func isDone(confined: Bool) throws -> Bool {
            let result = try ChildProcess.run(
                "bash", ["-c", "cd '\(folder.path)'; \(script)"], timeoutSeconds: 60,
                maximumOutputBytes: 1000,
                limits: ProcessLimits(
                    memoryBytes: 1 << 30, processorSeconds: 60, openFiles: 64, isConfined: confined))
            return folder.names().contains(trace)
                || String(decoding: result.output, as: UTF8.self).contains(trace)
        }
        #expect(try !isDone(confined: true))
        #expect(try isDone(confined: false))
    }

    @Test func confinedProgramsRead() throws {
        let result = try ChildProcess.run(
            "cat", [path], timeoutSeconds: 60, maximumOutputBytes: 1 << 20,
            limits: ProcessLimits(
                memoryBytes: 1 << 30, processorSeconds: 60, openFiles: 64, isConfined: true))
        #expect(result.end == .exited(0) && result.output.count > 16_000, "\(result.complaint)")
    }
}
