import AudioCore
import DanceFinder
import EarshotKit
import KitTestSupport
import TestSupport
import Testing

/// A song at the microphone adds its dance to the library.
@Suite(.enabled(if: VirtualMicrophone.isAvailable), .timeLimit(.minutes(2)), .tags(.timed))
struct DanceFinderTests {
    private func catalog(in folder: TemporaryFolder) throws -> String {
        let catalog = SHCustomCatalog()
        for (song, signature) in SongBook.signatures.enumerated() {
            try catalog.addReferenceSignature(
                signature,
                representing: [
                    SHMediaItem(properties: [
                        .title: SongBook.title(song), .subtitle: "Dance \(song)", .shazamID: "\(70 + song)",
                    ])
                ])
        }
        let path = folder.file("songs.shazamcatalog")
        try catalog.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Starts the program, plays a song once it listens, and returns its output.
    private func find(
        _ song: AudioBuffer, catalog: String, _ microphone: VirtualMicrophone, _ environment: [String: String]
    ) throws -> String {
        let finder = try ExampleProcess("DanceFinder", [catalog], environment: environment)
        #expect(finder.nextOutput() == "listening\n")
        try microphone.play(song)
        return try finder.finish()
    }

    @Test func dancesAreFoundStoredAndRemoved() async throws {
        let folder = try TemporaryFolder()
        let catalog = try catalog(in: folder)
        let microphone = try VirtualMicrophone()
        let environment = ["PULSE_SERVER": microphone.server, "XDG_DATA_HOME": folder.path]
        for song in [2, 0] {
            let said = try find(
                SongBook.songs[song].render(from: 5, seconds: 8), catalog: catalog, microphone, environment)
            #expect(said == "Song \(song): Dance \(song)\n")
        }
        let noise = TestSignals.noise(seed: 6, amplitude: 0.2, seconds: 6, sampleRate: 16_000)
        #expect(try find(noise, catalog: catalog, microphone, environment) == "no song with a dance\n")
        // The microphone is free again.
        #expect(try microphone.recordingCount() == 0)

        func list() throws -> String {
            try ExampleProcess("DanceFinder", ["list"], environment: environment).finish()
        }
        #expect(try list() == "Song 0: Dance 0\nSong 2: Dance 2\n")
        _ = try ExampleProcess("DanceFinder", ["forget", "Song 0"], environment: environment).finish()
        #expect(try list() == "Song 2: Dance 2\n")
        #expect(throws: ExampleProcess.ExampleFailure.self) {
            _ = try ExampleProcess("DanceFinder", ["forget", "Song 0"], environment: environment).finish()
        }
    }

    @Test func aMissingMicrophoneIsReported() async throws {
        let folder = try TemporaryFolder()
        let catalog = try catalog(in: folder)
        #expect(throws: ExampleProcess.ExampleFailure.self) {
            _ = try ExampleProcess(
                "DanceFinder", [catalog], environment: ["PULSE_SERVER": folder.file("no-server")]
            ).finish()
        }
    }
}
