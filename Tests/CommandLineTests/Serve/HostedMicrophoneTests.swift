import EarshotKit
import Foundation
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// A microphone in front of a catalog on a server.
@Suite(
    .enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired), .timeLimit(.minutes(5)),
    .tags(.timed))
struct HostedMicrophoneTests {
    /// While a server hangs, the oldest audio is left out; the session says so once, and then matches what is heard now.
    @Test func aServerThatHangsLosesTheOldestAudio() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("songs.earcatalog")
        try SongBook.catalog().write(to: URL(fileURLWithPath: path))
        let server = try ServerProcess(["--catalog", path, "--requests-per-second", "0"])
        let mayAnswer = DispatchSemaphore(value: 0)
        let relay = try RecordingRelay(
            to: server.port,
            then: .change {
                mayAnswer.wait()
                mayAnswer.signal()
                return $0
            })
        let virtual = try VirtualMicrophone()
        let session = SHManagedSession(
            catalog: .hosted(try #require(URL(string: relay.address))), device: nil, server: virtual.server)
        let (warned, continuation) = AsyncStream.makeStream(of: String.self)
        let warnings = Mutex<[String]>([])
        session.warningHandler = { text in
            warnings.withLock { $0.append(text) }
            continuation.yield(text)
        }
        let results = session.results
        // A song while the server hangs, and another one afterwards.
        try await virtual.play(SongBook.songs[0].render(from: 2, seconds: 25)) {
            for await _ in warned { break }
        }
        let title = try await virtual.play(SongBook.songs[1].render(from: 2, seconds: 25)) {
            try await Task.sleep(for: .seconds(12))
            mayAnswer.signal()
            for await case .match(let match) in results { return match.mediaItems.first?.title }
            return nil
        }
        // Nothing of the first song was left.
        #expect(title == SongBook.title(1))
        #expect(warnings.withLock { $0 } == ["the catalog answers too slowly; recorded audio is left out"])
        session.cancel()
    }
}
