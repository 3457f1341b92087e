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

    /// Takes a request as a decoder does; `file` is the file, and `record` writes.
    private static let beginning = """
        #!/usr/bin/python3
        import os, socket, struct, sys, time
        died, request, opened, unit, free, news, tags, decode, read, failed, ended = range(11)
        descriptors = socket.recv_fds(socket.socket(fileno=0), 1, 3)[1]
        parent, file = socket.socket(fileno=descriptors[0]), descriptors[1]
        parent.recv(1 << 16)
        def record(kind, *numbers, body=b""):
            parent.send(struct.pack("8q", kind, *numbers, *[0] * (7 - len(numbers))) + body)
        def facts(channels=1, rate=8000, frames=65535):
            return (b'{"sampleRate":%d,"channelCount":%d,"formatName":"x","expectedFrames":%d,"trackCount":1}' % (rate, channels, frames))

        """

    /// What reading the file gives with a Python script in place of the decoder.
    private func reading(_ script: String, stallSeconds: Double = 600) throws -> AudioFileError? {
        let program = folder.file("decoder")
        try AtomicFile.write(Self.beginning + script + "\n", to: program)
        try #require(chmod(program, 0o755) == 0)
        let sandbox = DecoderSandbox(program: program, stallSeconds: stallSeconds, processorSeconds: 1)
        while true {
            do {
                let reader = try AudioFileReader(path: path, in: sandbox)
                while try reader.read(maxFrames: 1000) != nil {}
                return nil
            } catch let error as AudioFileError {
                // A process that another test just starts may still have the new script open.
                guard error.message.hasSuffix("Text file busy") else { return error }
                usleep(10_000)
            }
        }
    }

    @Test func aDecoderThatAnswersIsHeard() throws {
        let end = "record(unit, 100, 1, 0, 0); record(unit, 50, 0, 0, 1); record(ended)"
        #expect(try reading("record(opened, body=facts()); " + end) == nil)
    }

    @Test(arguments: [
        "", "sys.exit(1)", "parent.send(bytes(1000))", "record(-1)", "record(opened)",
        "record(opened, body=b'{}')",
        "record(unit, 1, 1, 0, 0)",
        // No channel, too many, no rate, a negative length.
        "record(opened, body=facts(0))", "record(opened, body=facts(1000))",
        "record(opened, body=facts(1, 0))",
        "record(opened, body=facts(1, 8000, -1))",
    ])
    func aDecoderThatOpensNothingIsAnErrorOfTheFile(script: String) throws {
        let error = try reading(script)
        #expect(error?.isFaultOfContent == true && error?.path == path, "\(error as Any)")
    }

    @Test(arguments: [
        "", "sys.exit(1)", "record(opened, body=facts())",
        // More frames than a place of the ring has, another place, samples of the parent that has none.
        "record(unit, 1 << 40, 0, 0, 0)", "record(unit, -1, 0, 0, 0)", "record(unit, 10, 0, 0, 7)",
        "record(unit, 10, 0, 0, -1)", "record(unit, 10, 0, 1, 0)",
        // Programs for bytes that the file does not have, and reading from none.
        "record(read, 100)", "record(news, body=b'[]')", "record(free)",
        """
        record(decode, body=b'{"bytes":[-5,1000000],"kind":"x","isWAV":false,"startsAtZero":false,"lengthIsWrong":false,"refusal":"x"}')
        parent.recv(10000); record(failed, body=b'{"code":"decoderEnded","message":"x"}')
        """,
    ])
    func aDecoderThatMisbehavesIsAnErrorOfTheFile(script: String) throws {
        let error = try reading("record(opened, body=facts())\n" + script)
        #expect(error?.code == .decoderEnded && error?.path == path, "\(error as Any)")
    }

    /// A decoder that ends before it has read that places are free resets its socket, behind what it said.
    @Test func theLastWordsOfADecoderAreHeard() throws {
        let script = """
            record(opened, body=facts())
            for place in range(3): record(unit, 1, 1, 0, place)
            time.sleep(0.05)
            record(failed, body=b'{"code":"damaged","message":"last words"}')
            os._exit(0)
            """
        for _ in 0..<20 { #expect(try reading(script)?.message == "last words") }
    }

    @Test func aDecoderThatStopsIsEnded() throws {
        let error = try reading("time.sleep(600)", stallSeconds: 0.5)
        #expect(error?.message == "its decoder did not decode on in 0.5 s")
    }

    /// It sends samples and never reads that their places are free.
    @Test func aDecoderThatDoesNotListenIsEnded() throws {
        let script = """
            record(opened, body=facts())
            for place in range(100000): record(unit, 1, 1, 0, place)
            """
        let error = try reading(script, stallSeconds: 0.5)
        #expect(error?.code == .decoderEnded, "\(error as Any)")
    }

    /// The nurse says how the process ended that it had started.
    @Test func aDeathIsNamed() throws {
        #expect(try reading("record(died, 11, 0, 0)")?.message.contains("signal 11") == true)
        #expect(try reading("record(died, 0, 3, 0)")?.code == .decoderFailed)
        #expect(try reading("record(died, 0, 0, 12)")?.code == .decoderFailed)
    }

    /// Programs that files may take over get no secrets.
    @Test func helpersHaveFewVariables() throws {
        setenv("EARSHOT_TEST_TOKEN", "secret", 1)
        let script = """
            names = list(os.environ)
            record(failed, body=b'{"code":"notAudio","message":"%s"}' % ",".join(sorted(names)).encode())
            """
        let names = try #require(try reading(script)).message.split(separator: ",")
        #expect(
            names.contains("PATH") && names.count <= 6 && !names.contains { $0.hasPrefix("EARSHOT") },
            "\(names)")
        let other = try ChildProcess.run(
            "env", [], timeoutSeconds: 60, maximumOutputBytes: 1 << 16,
            limits: ProcessLimits(memoryBytes: 1 << 30, processorSeconds: 60, openFiles: 64, isConfined: true)
        )
        let lines = String(decoding: other.output, as: UTF8.self).split(separator: "\n")
        #expect(!lines.isEmpty && lines.count <= 6 && !lines.contains { $0.contains("secret") }, "\(lines)")
    }

    @Test func aProgramThatIsMissingIsNoFaultOfTheFile() throws {
        let missing = #expect(throws: AudioFileError.self) {
            try AudioFileReader(path: path, in: DecoderSandbox(program: folder.file("missing")))
        }
        #expect(missing?.code == .decoderFailed)
    }

    /// Each does something without a sandbox, and nothing in it.
    @Test(arguments: [
        ("echo x > written", "written"), ("touch touched", "touched"), ("mkdir made", "made"),
        ("exec mv song.wav moved", "moved"), ("exec ln song.wav linked", "linked"),
        ("exec echo started", "started"), ("(echo x)", "x"),
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
