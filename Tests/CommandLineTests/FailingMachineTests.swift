import AudioIO
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// What a machine refuses is an error with a sentence: nothing hangs, nothing is lost, and nothing is blamed on a file.
@Suite(.enabled(if: Strace.isWanted, "strace is not installed, or may not trace"), .timeLimit(.minutes(10)))
struct FailingMachineTests {
    private static let song = ScoreSong(seed: 5, seconds: 20).render()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the program in the folder while system calls fail; an endless run ends with the status 124.
    private func earshot(_ arguments: String, failing options: String) throws -> EarshotProcess {
        try EarshotProcess(
            shell:
                "cd '\(folder.path)' && export SWIFT_BACKTRACE=enable=no && exec timeout 60 strace -D -f -qq"
                + " -o /dev/null \(options) \"$EARSHOT\" \(arguments)")
    }

    private func makeSignatures() throws {
        for (seed, name) in ["a", "b"].enumerated() {
            try SignatureExtractor.signature(of: ScoreSong(seed: UInt64(seed), seconds: 5).render())
                .write(to: folder.file(name + ".earsignature"))
        }
    }

    @Test(arguments: ["wav-pcm16", "flac-16", "mp3-64k", "ogg-vorbis-q0.3", "ogg-opus-64k"], [3, 5])
    func aDiskThatCannotBeReadIsNoDamage(encoding: String, read: Int) throws {
        let encoding = try #require(AudioEncoding(encoding))
        try AudioFile.write(Self.song, to: folder.file("song"), as: encoding)
        let run = try earshot(
            "custom-catalog create -s song -o c",
            failing: "-P '\(folder.file("song"))' -e inject=read,pread64:error=EIO:when=\(read)")
        #expect(run.status == 1 && run.errors.contains("song: cannot be read: Input/output error"), "\(run)")
        #expect(folder.names() == ["song"])
    }

    private static let longSong = TestSignals.bandNoise(seed: 5, seconds: 100, sampleRate: 44_100)

    /// Writes a file that only `ffmpeg` reads.
    private func encode(_ name: String, _ codec: String) throws {
        let path = folder.file("long.wav")
        try AudioFile.write(Self.longSong, to: path, as: #require(AudioEncoding("wav-pcm16")))
        let made = try EarshotProcess(
            shell:
                "cd '\(folder.path)' && ffmpeg -nostdin -loglevel error -i long.wav \(codec) \(name)"
                + " && rm long.wav")
        try #require(made.status == 0, "ffmpeg is needed for this test: \(made)")
    }

    /// Both `ffmpeg` and this program read the file, each more than 30 times.
    @Test(arguments: [
        ("song.m4a", "-c:a aac -b:a 320k"), ("song.mka", "-c:a flac"), ("song.wv", "-c:a wavpack"),
        ("song.ts", "-c:a mp2 -b:a 384k"), ("song.wma", "-c:a wmav2 -b:a 320k"),
        ("song.tta", "-c:a tta"), ("song.ac3", "-c:a ac3 -b:a 640k"),
    ])
    func aDiskThatAProgramCannotReadIsNoDamage(name: String, codec: String) throws {
        try encode(name, codec)
        for options in ["--no-sandbox", "--sandbox"] {
            let run = try earshot(
                "custom-catalog create -s \(name) -o c \(options)",
                failing: "-P '\(folder.file(name))' -e inject=read,pread64:error=EIO:when=30+")
            #expect(
                run.status == 1 && run.errors.contains("\(name): cannot be read: Input/output error"),
                "\(options): \(run)")
            #expect(folder.names() == [name])
        }
    }

    /// The program says the same of it as of a disk that cannot be read.
    @Test func aFileThatEndsEarlyIsDamaged() throws {
        try encode("song.wv", "-c:a wavpack")
        #expect(truncate(folder.file("song.wv"), 3_000_000) == 0)
        let run = try EarshotProcess(
            shell: "cd '\(folder.path)' && exec \"$EARSHOT\" custom-catalog create -s song.wv -o c")
        #expect(run.status == 0 && run.errors.contains("song.wv: damaged at "), "\(run)")
    }

    /// A signal as of a crash, where only the decoder reads as often.
    @Test(arguments: ["SIGSEGV", "SIGKILL"]) func aDecoderThatCrashesIsAnErrorOfItsFile(signal: String) throws
    {
        let song = TestSignals.bandNoise(seed: 5, seconds: 60, sampleRate: 44_100)
        for name in ["bad.wav", "good.wav"] {
            try AudioFile.write(song, to: folder.file(name), as: #require(AudioEncoding("wav-pcm16")))
        }
        let run = try earshot(
            "custom-catalog create --sandbox --jobs 1 -s bad.wav good.wav -o c",
            failing: "-P '\(folder.file("bad.wav"))' -e inject=pread64:signal=\(signal):when=60")
        #expect(
            run.status == 1 && run.errors.contains("bad.wav: its decoder was ended by signal")
                && run.errors.contains("1 file failed"), "\(run)")
        #expect(try CatalogFile.open(folder.file("c")).entries.map(\.id) == ["good"])
    }

    @Test func withoutFiltersNothingIsDecodedWithout() throws {
        try AudioFile.write(Self.song, to: folder.file("song.wav"), as: #require(AudioEncoding("wav-pcm16")))
        let run = try earshot(
            "custom-catalog create --sandbox -s song.wav -o c", failing: "-e inject=prctl:error=EINVAL")
        #expect(run.status == 1 && run.errors.contains("confine"), "\(run)")
        #expect(folder.names() == ["song.wav"])
    }

    @Test func withoutTheFilesOfProcessesNothingIsRun() throws {
        let run = try earshot(
            "signature -i missing -o x",
            failing: "-P /proc/self/cmdline -P /proc/self/stat"
                + " -e inject=open,openat,access,faccessat,faccessat2:error=ENOENT")
        #expect(run.status == 1 && run.errors.contains("/proc cannot be read"), "\(run)")
    }

    @Test(arguments: [1, 3]) func withoutThreadsNothingHangs(first: Int) throws {
        for arguments in ["settings", "custom-catalog display missing", "match --catalog missing x"] {
            let run = try earshot(
                arguments, failing: "-e inject=clone,clone3:error=EAGAIN:when=\(first)+")
            #expect(run.status == 1 && run.errors.contains("no more threads"), "\(arguments): \(run)")
        }
    }

    @Test("A command with too few descriptors is an error, not a signal", arguments: [4, 8, 31])
    func tooFewDescriptorsAreAnError(limit: Int) throws {
        for arguments in ["--version", "match --catalog missing x", "serve --catalog missing"] {
            let run = try EarshotProcess(shell: "ulimit -n \(limit); exec \"$EARSHOT\" \(arguments)")
            #expect(
                run.status == 1 && run.errors.contains("the limit of open files is \(limit)"),
                "\(arguments): \(run)")
        }
    }

    @Test func aFolderThatCannotBeSynchronisedIsSaid() throws {
        try makeSignatures()
        let run = try earshot(
            "custom-catalog create -s a.earsignature -o c",
            failing: "-P '\(folder.path)' -e inject=fsync:error=EIO")
        #expect(
            run.status == 1
                && run.errors.contains(
                    "c: cannot synchronise the folder: Input/output error; it was written, but may be lost"),
            "\(run)")
        #expect(try CatalogFile.open(folder.file("c")).entries.map(\.id) == ["a"])
    }

    @Test func closingWhatIsOnTheDiskLosesNothing() throws {
        try makeSignatures()
        for (command, ids) in [
            ("create -s a.earsignature -o c", ["a"]), ("update c -s b.earsignature", ["a", "b"]),
        ] {
            let run = try earshot(
                "custom-catalog " + command, failing: "-P '\(folder.file("c"))' -e inject=close:error=EIO")
            #expect(run.status == 0, "\(run)")
            #expect(try CatalogFile.open(folder.file("c")).entries.map(\.id) == ids)
        }
    }

    @Test func aTrialOfTheOutputThatFailsLeavesNothing() throws {
        try makeSignatures()
        // The shell and the program are one process, so that the name is known.
        let run = try EarshotProcess(
            shell: "cd '\(folder.path)' && exec strace -D -f -qq -o /dev/null -P \"$PWD/.c.$$.1.part\""
                + " -e inject=close:error=EIO \"$EARSHOT\" custom-catalog create -s a.earsignature -o c")
        #expect(run.status == 1 && run.errors.contains("c: cannot write"), "\(run)")
        #expect(folder.names() == ["a.earsignature", "b.earsignature"])
    }

    /// Whichever look at the file is the first that fails.
    @Test(arguments: ["EIO", "ENOENT"]) func aFileThatCannotBeLookedAtEndsTheUpdate(error: String) throws {
        try makeSignatures()
        for first in 1...8 {
            try CatalogFile.write([], to: folder.file("c"))
            let run = try earshot(
                "custom-catalog update c -s a.earsignature",
                failing:
                    "-P '\(folder.file("c"))' -e inject=newfstatat,fstat,statx:error=\(error):when=\(first)+")
            #expect(run.status == 0 || run.status == 1 && !run.errors.isEmpty, "\(first): \(run)")
            let ids = try CatalogFile.verify(folder.file("c")).entries.map(\.id)
            #expect(ids == (run.status == 0 ? ["a"] : []), "\(first): \(run)")
        }
    }

    @Test func anEndlessPlanIsRefused() throws {
        let run = try EarshotProcess(
            shell:
                "ulimit -v 4000000; exec timeout 60 \"$EARSHOT\" evaluate --plan /dev/zero --output '\(folder.path)/run'"
        )
        #expect(run.status == 1 && run.errors.contains("/dev/zero: more than 262144 bytes long"), "\(run)")
    }

    @Test func aLargeFileIsNotReadToFindThatItIsNoSignature() throws {
        try CatalogFile.write([], to: folder.file("c"))
        let path = folder.file("large.earsignature")
        try AtomicFile.write("", to: path)
        #expect(truncate(path, 3 << 30) == 0)
        let run = try EarshotProcess(
            shell:
                "cd '\(folder.path)' && exec timeout 60 strace -f -qq -o trace -e trace=read,pread64,mmap -P '\(path)'"
                + " \"$EARSHOT\" match --catalog c large.earsignature")
        #expect(run.status == 1 && run.output.contains("expected the magic of a signature"), "\(run)")
        let calls = try String(contentsOfFile: folder.file("trace"), encoding: .utf8)
        #expect(calls.contains("mmap(") && !calls.contains("MAP_POPULATE"), "\(calls)")
        // Its first bytes are read, which say what it is.
        let read = calls.split(separator: "\n").filter { $0.contains("read") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(read.reduce(0, +) <= 64, "\(calls)")
    }
}
