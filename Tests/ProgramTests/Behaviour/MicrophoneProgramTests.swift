import AudioCore
import AudioIO
import EarshotKit
import Foundation
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Runs the listening program at a virtual microphone that plays a song.
@Suite(.tags(.timed)) struct MicrophoneProgramTests {
    @Test func t14NamesTheState() async throws {
        #expect(await status(SHManagedSession(catalog: try SongBook.catalog())) == "idle")
    }

    /// Listens until cancelled; without a microphone the error ends it.
    @Test func t14ListensUntilCancelled() async throws {
        let session = SHManagedSession(catalog: try SongBook.catalog())
        let listening = Task { await listenForever(session) }
        try await Task.sleep(for: .milliseconds(300))
        session.cancel()
        await listening.value
        #expect(try await eventually { await status(session) == "idle" })
    }

    @Test(.enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired))
    func t14ListensOnce() async throws {
        let song = ScoreSong(seed: 400, seconds: 40)
        let catalog = SHCustomCatalog()
        for title in ["Episode 1", "Episode 2"] {
            try catalog.addReferenceSignature(
                try .of(song.render()), representing: [SHMediaItem(properties: [.title: title])])
        }
        let speaker = try Speaker(playing: song.render(from: 5, seconds: 30))
        defer { speaker.stop() }
        let items = await listenOnce(catalog)
        #expect(items.map(\.title) == ["Episode 2"])
        #expect(try (4...36).contains(#require(items.first?.matchOffset)))
    }

    @Test(.enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired))
    func theArticlesMatcherNamesTheSong() async throws {
        let matcher = ArticleMatcher(catalog: try SongBook.catalog())
        let (matches, continuation) = AsyncStream.makeStream(of: SHMatch.self)
        matcher.found = { continuation.yield($0) }
        try matcher.startListening()
        let speaker = try Speaker(playing: SongBook.songs[1].render(from: 3, seconds: 25))
        defer { speaker.stop() }
        let match = try #require(await matches.first { _ in true })
        #expect(match.mediaItems.first?.title == SongBook.title(1))
        matcher.stopListening()
        #expect(!matcher.audioEngine.isRunning)
    }

    /// Stopped and paused engines start again into the same session.
    @Test(.enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired))
    func theArticlesMatcherListensAgain() async throws {
        let matcher = ArticleMatcher(catalog: try SongBook.catalog())
        let errors = Mutex<[String]>([])
        matcher.failed = { error in errors.withLock { $0.append("\(error)") } }
        for (song, stop) in [
            (1, matcher.stopListening), (2, matcher.audioEngine.pause), (3, matcher.stopListening),
        ] {
            let (matches, continuation) = AsyncStream.makeStream(of: SHMatch.self)
            matcher.found = { continuation.yield($0) }
            try matcher.startListening()
            let speaker = try Speaker(playing: SongBook.songs[song].render(from: 3, seconds: 25))
            defer { speaker.stop() }
            _ = try #require(
                await matches.first { $0.mediaItems.first?.title == SongBook.title(song) })
            stop()
            #expect(!matcher.audioEngine.isRunning)
        }
        #expect(errors.withLock { $0 } == [])
    }
}
