import AudioCore
import AudioIO
import Foundation
import SignalProcessing
import SystemIO
import TestSupport
import Testing

/// Files that only `ffmpeg` reads; `scripts/setup.sh ffmpeg` installs it.
struct ForeignDecoderTests {
    private let folder: TemporaryFolder
    private let audio = TestSignals.bandNoise(seed: 1, seconds: 3, sampleRate: 44_100)

    init() throws {
        folder = try TemporaryFolder()
        try AudioFile.write(audio, to: folder.file("a.wav"), as: try #require(AudioEncoding("wav-pcm16")))
        try AudioFile.write(
            TestSignals.sine(frequency: 5000, seconds: 1, sampleRate: 44_100), to: folder.file("b.wav"),
            as: try #require(AudioEncoding("wav-pcm16")))
    }

    /// Formats that have no mark are known by the name of the file.
    @Test(arguments: [
        ("a.g722", ["-ar", "16000", "-c:a", "g722"], 16_000), ("a.sbc", ["-c:a", "sbc"], 44_100),
        ("a.mlp", ["-c:a", "mlp", "-strict", "-2"], 44_100),
        ("a.gsm", ["-ar", "8000", "-c:a", "libgsm"], 8000),
        ("a.ac3", ["-c:a", "ac3"], 44_100),
    ])
    func rawFormatsAreRead(name: String, codec: [String], rate: Int) throws {
        try ffmpeg(["-i", folder.file("a.wav")] + codec + [folder.file(name)])
        let decoded = try AudioFile.read(folder.file(name))
        #expect(decoded.sampleRate == rate)
        #expect(abs(decoded.durationSeconds - audio.durationSeconds) < 0.06)
        #expect(AudioFileFinder.audioExtensions.contains(URL(fileURLWithPath: name).pathExtension))
    }

    @Test(arguments: [
        ("a.m4a", ["-c:a", "aac"]), ("a.mp4", ["-c:a", "aac"]), ("a.webm", ["-c:a", "libvorbis"]),
        ("a.mka", ["-c:a", "flac"]), ("a.aac", ["-c:a", "aac"]), ("a.wma", ["-c:a", "wmav2"]),
    ])
    func decodesLikeTheSource(name: String, codec: [String]) throws {
        try ffmpeg(["-i", folder.file("a.wav")] + codec + [folder.file(name)])
        let decoded = try AudioFile.read(folder.file(name))
        #expect(decoded.sampleRate == 44_100 && decoded.channelCount == 1)
        let lag = CrossCorrelation.bestLag(of: decoded.samples, in: audio.samples, maxLag: 4000)
        // Containers without an edit list include the encoder's priming.
        #expect(abs(lag.lag) <= 2112)
        #expect(lag.coefficient > 0.98)
        let inMemory = try AudioFile.decode(
            Array(Data(contentsOf: URL(fileURLWithPath: folder.file(name)))), name: name)
        #expect(inMemory == decoded)
        let reader = try AudioFileReader(path: folder.file(name))
        #expect(try reader.read(maxFrames: 1000) == decoded.frames(0..<1000))
        // What names the file's samples also names the program that makes them.
        let program = try #require(AudioLibraryVersions.program(decodingFileAt: folder.file(name)))
        #expect(program == "ffmpeg \(try #require(AudioLibraryVersions.ffmpeg))")
    }

    @Test(arguments: ["wav-pcm16", "flac-16", "ogg-vorbis-q0.0", "mp3-128k"])
    func noProgramDecodesWhatLibsndfileReads(encoding: String) throws {
        let path = folder.file("own")
        try AudioFile.write(audio, to: path, as: try #require(AudioEncoding(encoding)))
        #expect(AudioLibraryVersions.program(decodingFileAt: path) == nil)
        #expect(AudioLibraryVersions.program(decodingFileAt: folder.file("missing")) == nil)
    }

    @Test func severalTracksAreMixed() throws {
        try ffmpeg([
            "-i", folder.file("a.wav"), "-i", folder.file("b.wav"), "-map", "0:a", "-map", "1:a", "-c:a",
            "flac",
            folder.file("two.mka"),
        ])
        let decoded = try AudioFile.read(folder.file("two.mka"))
        let second = TestSignals.sine(frequency: 5000, seconds: 1, sampleRate: 44_100).samples
        try #require(abs(decoded.frameCount - audio.frameCount) < 100, "\(decoded.frameCount)")
        // The mean of both tracks, then half of the longer one, at 16 bits.
        for index in [100, 20_000, 44_000] {
            #expect(abs(decoded.samples[index] - 0.5 * (audio.samples[index] + second[index])) < 1e-4)
        }
        for index in [50_000, 100_000] {
            #expect(abs(decoded.samples[index] - 0.5 * audio.samples[index]) < 1e-4)
        }
    }

    @Test func aTrackIsReadAlone() throws {
        try ffmpeg([
            "-i", folder.file("a.wav"), "-i", folder.file("b.wav"), "-map", "0:a", "-map", "1:a", "-c:a",
            "flac", "-ar:a:1", "22050", folder.file("two.mka"),
        ])
        let both = try AudioFileReader(path: folder.file("two.mka"))
        #expect(both.trackCount == 2 && both.remark?.contains("2 audio tracks are mixed") == true)
        let first = try AudioFileReader(path: folder.file("two.mka"), track: 1)
        #expect(first.trackCount == 1 && first.remark == nil)
        #expect(
            try first.read(maxFrames: 1000)?.samples
                == Array(AudioFile.read(folder.file("a.wav")).samples[..<1000]))
        let second = try AudioFileReader(path: folder.file("two.mka"), track: 2)
        #expect(second.sampleRate == 22_050)
        let sine = TestSignals.sine(frequency: 5000, seconds: 1, sampleRate: 22_050).samples
        let samples = try #require(try second.read(maxFrames: 20_000)).samples
        #expect((5000..<15_000).allSatisfy { abs(samples[$0] - sine[$0]) < 1e-2 })
        #expect(try AudioFileReader(path: folder.file("a.wav"), track: 1).remark == nil)
        for (name, track, count) in [("two.mka", 3, 2), ("two.mka", 0, 2), ("a.wav", 2, 1)] {
            let error = #expect(throws: AudioFileError.self) {
                try AudioFileReader(path: folder.file(name), track: track)
            }
            #expect(
                error?.description
                    == "\(folder.file(name)): has no audio track \(track); expected a number from 1 to \(count)"
            )
        }
    }

    /// A container that states times is filled with silence; a bare stream ends at the damage.
    @Test(arguments: [("a.m4a", true), ("a.mka", true), ("a.aac", false)])
    func damageMovesNothing(name: String, hasTimes: Bool) throws {
        let long = TestSignals.bandNoise(seed: 5, seconds: 30, sampleRate: 44_100)
        try AudioFile.write(long, to: folder.file("long.wav"), as: try #require(AudioEncoding("wav-pcm16")))
        try ffmpeg(["-i", folder.file("long.wav"), "-c:a", "aac", folder.file(name)])
        let whole = try AudioFile.read(folder.file(name))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
        var generator = SeededGenerator(seed: 3)
        for place in (bytes.count / 3)..<(bytes.count / 3 + 3000) {
            bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        }
        let reader = try AudioFileReader(bytes: bytes, name: name)
        var samples: [Float] = []
        while let block = try reader.read(maxFrames: 1000) { samples += block.samples }
        let damage = try #require(reader.damage)
        #expect((8...12).contains(damage.seconds), "\(damage)")
        guard hasTimes else {
            #expect(samples.count < 12 * 44_100)
            #expect(samples[..<(8 * 44_100)] == whole.samples[..<(8 * 44_100)])
            return
        }
        #expect(abs(samples.count - whole.frameCount) < 882)
        let place = 20 * 44_100
        let lag = CrossCorrelation.bestLag(
            of: Array(whole.samples[place..<(place + 40_000)]), in: Array(samples[place..<(place + 40_000)]),
            maxLag: 20_000)
        #expect(abs(lag.lag) < 882 && lag.coefficient > 0.9, "\(lag)")
    }

    /// ffprobe lists the streams of a transport stream once in its program and once by themselves.
    @Test(arguments: [("a.ts", "mp2"), ("a.m2ts", "ac3"), ("a.mpg", "mp2"), ("a.flv", "aac")])
    func broadcastsAreRead(name: String, codec: String) throws {
        try ffmpeg(["-i", folder.file("a.wav"), "-c:a", codec, folder.file(name)])
        let reader = try AudioFileReader(path: folder.file(name))
        var samples: [Float] = []
        while let block = try reader.read(maxFrames: 1000) { samples += block.samples }
        #expect(reader.trackCount == 1 && reader.damage == nil, "\(reader.damage as Any)")
        let lag = CrossCorrelation.bestLag(of: samples, in: audio.samples, maxLag: 4000)
        #expect(abs(lag.lag) < 2112 && lag.coefficient > 0.9)
    }

    /// Places count from the picture's beginning, for each track by itself.
    @Test(arguments: ["late.mkv", "late.mp4", "late.ts", "late.mpg"]) func soundThatStartsLate(name: String)
        throws
    {
        try ffmpeg([
            "-itsoffset", "1.5", "-i", folder.file("a.wav"), "-f", "lavfi", "-i",
            "testsrc=size=64x64:rate=25:duration=4", "-map", "1", "-map", "0", "-c:a", "mp2", "-c:v",
            "mpeg1video", folder.file(name),
        ])
        let reader = try AudioFileReader(path: folder.file(name))
        var samples: [Float] = []
        while let block = try reader.read(maxFrames: 1000) { samples += block.samples }
        #expect(reader.damage == nil, "\(reader.damage as Any)")
        let expected = [Float](repeating: 0, count: 66_150) + audio.samples
        let lag = CrossCorrelation.bestLag(of: samples, in: expected, maxLag: 4000)
        // The delay of MP2 is 481 samples.
        #expect(abs(lag.lag) < 600 && lag.coefficient > 0.9, "\(lag)")
    }

    @Test func aTrackWithoutADecoderIsNamed() throws {
        try ffmpeg([
            "-i", folder.file("a.wav"), "-i", folder.file("b.wav"), "-map", "0:a", "-map", "1:a", "-c:a",
            "flac", folder.file("two.mka"),
        ])
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("two.mka"))))
        let second = try #require(bytes.ranges(of: Array("A_FLAC".utf8)).last)
        bytes.replaceSubrange(second, with: Array("A_NONE".utf8))
        let reader = try AudioFileReader(bytes: bytes, name: "two.mka")
        let samples = try #require(try reader.read(maxFrames: 1000)).samples
        #expect(try samples == Array(AudioFile.read(folder.file("a.wav")).samples[..<1000]))
        #expect(reader.remark?.contains("audio track 2 is left out") == true, "\(reader.remark ?? "")")
        try AtomicFile.write(bytes, to: folder.file("two.mka"))
        #expect(throws: AudioFileError.self) { try AudioFileReader(path: folder.file("two.mka"), track: 2) }
    }

    /// A playlist would open other files.
    @Test(arguments: [
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\u{1}\na.wav\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile a.wav\n#\u{1}\n",
    ])
    func playlistsAreRefused(text: String) throws {
        try AtomicFile.write(Array(text.utf8), to: folder.file("x.m4a"))
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(folder.file("x.m4a")) }
        #expect(error?.code == .notAudio, "\(error as Any)")
    }

    @Test func intactFilesAreNotDamaged() throws {
        for (name, codec) in [
            ("b.m4a", "aac"), ("b.mka", "flac"), ("b.aac", "aac"), ("b.wma", "wmav2"), ("b.wv", "wavpack"),
            ("b.webm", "libopus"),
        ] {
            try ffmpeg(["-i", folder.file("a.wav"), "-c:a", codec, folder.file(name)])
            let reader = try AudioFileReader(path: folder.file(name))
            while try reader.read(maxFrames: 65_536) != nil {}
            #expect(reader.damage == nil, "\(name)")
        }
    }

    /// An hour is 635 MB of samples.
    ///
    /// Needs its own process, because the peak is that of a whole process.
    @Test func decodedAudioIsNotHeld() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let ffmpeg = try ChildProcess.run(
                "ffmpeg",
                [
                    "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "anullsrc=r=44100:cl=mono", "-t",
                    "3600", "-map", "0:a", "-map", "0:a", "-c:a", "flac", folder.file("long.mka"),
                ], timeoutSeconds: 300, maximumOutputBytes: 1000)
            try #require(ffmpeg.end == .exited(0))
            let reader = try AudioFileReader(path: folder.file("long.mka"))
            var frames = 0
            while let count = try reader.withNextBlock(maxFrames: 65_536, { $0.count }) { frames += count }
            #expect(frames == 3600 * 44_100)
            #expect(try Self.peakKilobytes() < 150_000)
        }
    }

    /// The most memory that this process has had.
    private static func peakKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }

    /// Silence takes the place of a gap without a buffer for it, here or in ffmpeg.
    @Test func aGapIsNotHeld() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let ffmpeg = try ChildProcess.run(
                "ffmpeg",
                [
                    "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i",
                    "sine=frequency=440:duration=4:sample_rate=44100", "-af",
                    "asetpts=PTS+gte(T\\,2)*7200/TB", "-c:a", "aac", folder.file("gap.mp4"),
                ], timeoutSeconds: 300, maximumOutputBytes: 1000)
            try #require(ffmpeg.end == .exited(0), "\(ffmpeg.complaint)")
            let reader = try AudioFileReader(path: folder.file("gap.mp4"))
            var frames = 0
            while let count = try reader.withNextBlock(maxFrames: 65_536, { $0.count }) { frames += count }
            #expect(abs(frames - 7204 * 44_100) < 4096)
            #expect(reader.damage?.reason.contains("without audio") == true)
            var usage = rusage()
            getrusage(RUSAGE_CHILDREN.rawValue, &usage)
            #expect(usage.ru_maxrss < 150_000)
            #expect(try Self.peakKilobytes() < 150_000)
        }
    }

    @Test func videoWithoutSoundIsAnError() throws {
        try ffmpeg([
            "-f", "lavfi", "-i", "color=size=16x16:duration=0.2", "-c:v", "mpeg4", folder.file("mute.mp4"),
        ])
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(folder.file("mute.mp4")) }
        #expect(error?.message.contains("without an audio track") == true)
    }

    @Test func cutContainerIsAnErrorThatNamesIt() throws {
        try ffmpeg(["-i", folder.file("a.wav"), "-c:a", "aac", folder.file("a.m4a")])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("a.m4a"))))
        try AtomicFile.write(Array(bytes[..<200]), to: folder.file("cut.m4a"))
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(folder.file("cut.m4a")) }
        #expect(error?.description.hasPrefix(folder.file("cut.m4a")) == true)
        #expect(error?.message.contains("MPEG-4 audio") == true)
    }

    /// Needs its own process, because PATH applies to a whole process.
    @Test func missingDecoderSaysWhatToInstall() async {
        await #expect(processExitsWith: .success) {
            setenv("PATH", "/nowhere", 1)
            let bytes: [UInt8] =
                [0, 0, 0, 24] + Array("ftypM4A isom".utf8) + [UInt8](repeating: 0, count: 100)
            let error = #expect(throws: AudioFileError.self) { try AudioFile.decode(bytes, name: "song.m4a") }
            #expect(error?.code == .decoderMissing)
            #expect(
                error?.description.hasPrefix(
                    "song.m4a: found MPEG-4 audio, which needs the program ffprobe; install ffmpeg") == true)
        }
    }

    @Test func aDecoderThatCannotBeStartedIsNotMissing() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            // The file is not executable.
            try AtomicFile.write("", to: folder.file("ffprobe"))
            setenv("PATH", folder.path, 1)
            let bytes: [UInt8] =
                [0, 0, 0, 24] + Array("ftypM4A isom".utf8) + [UInt8](repeating: 0, count: 100)
            let error = #expect(throws: AudioFileError.self) { try AudioFile.decode(bytes, name: "song.m4a") }
            #expect(error?.code == .decoderFailed)
            #expect(
                error?.description
                    == "song.m4a: found MPEG-4 audio, but ffprobe cannot be started: Permission denied")
        }
    }
}
