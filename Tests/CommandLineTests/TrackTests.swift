import AudioCore
import AudioIO
import Foundation
import SystemIO
import TestSupport
import Testing

/// Files with several audio tracks, such as a film with two languages.
@Suite struct TrackTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["one", "two"] {
            let song = ScoreSong(seed: StableHash.of(name), seconds: 20).render()
            try AudioFile.write(
                song, to: folder.file(name + ".wav"), as: try #require(AudioEncoding("wav-pcm16")))
        }
        let ffmpeg = try ChildProcess.run(
            "ffmpeg",
            [
                "-nostdin", "-loglevel", "error", "-i", folder.file("one.wav"), "-i", folder.file("two.wav"),
                "-map", "0:a", "-map", "1:a", "-c:a", "flac", folder.file("film.mka"),
            ], timeoutSeconds: 60, maximumOutputBytes: 1000)
        try #require(ffmpeg.end == .exited(0), "ffmpeg is needed for this test")
        _ = try earshot("custom-catalog create -s one.wav two.wav -o c.earcatalog")
    }

    private func earshot(_ arguments: String, status: Int32 = 0) throws -> EarshotProcess {
        let run = try EarshotProcess(shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(arguments)")
        #expect(run.status == status, "\(arguments): \(run.errors)")
        return run
    }

    @Test(arguments: [
        "signature -i film.mka -o out", "custom-catalog create -s film.mka -o out",
        "custom-catalog update c.earcatalog -s film.mka", "match --catalog c.earcatalog film.mka",
    ])
    func aMixIsAWarning(command: String) throws {
        let run = try earshot(command)
        #expect(run.errors.contains("warning: film.mka: its 2 audio tracks are mixed"), "\(run.errors)")
    }

    @Test(arguments: [(1, "one"), (2, "two")]) func aTrackIsEnrolledAlone(track: Int, song: String) throws {
        let enrolled = try earshot("custom-catalog create -s film.mka --track \(track) -o film.earcatalog")
        let made = try earshot("signature -i film.mka --track \(track) -o film.earsignature")
        #expect(!(enrolled.errors + made.errors).contains("warning"))
        #expect(
            try earshot("match --catalog film.earcatalog \(song).wav").output.contains(#""reference":"film""#)
        )
        let found = try earshot("match --catalog c.earcatalog film.earsignature").output
        #expect(
            found.contains(#""reference":"\#(song)""#)
                && !found.contains(song == "one" ? #""two""# : #""one""#))
    }

    @Test func aTrackThatIsMissingIsNamed() throws {
        for command in ["signature -i film.mka", "custom-catalog create -s one.wav film.mka"] {
            let run = try earshot(command + " --track 3 -o out", status: 1)
            #expect(run.errors.contains("has no audio track 3; expected a number from 1 to"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
        }
        #expect(
            try earshot("signature -i film.mka --track 0 -o out", status: 64).errors.contains("--track 0"))
    }
}
