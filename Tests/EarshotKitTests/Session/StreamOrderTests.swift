import AudioCore
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// Outcomes of the clock and of the audio arrive one after another.
@Suite(.tags(.timed)) struct StreamOrderTests {
    /// Records the items that begin, and blocks on the first.
    private final class SlowListener: NSObject, SHSessionDelegate, @unchecked Sendable {
        // Sendable: mutable state is behind the lock or ordered by the semaphore.
        let titles = Mutex<[String]>([])
        let isBusy = DispatchSemaphore(value: 0)

        func session(_ session: SHSession, didFind match: SHMatch) {
            guard let title = match.mediaItems.first?.title else { return }
            if title == "first" {
                isBusy.signal()
                Thread.sleep(forTimeInterval: 0.2)
            }
            titles.withLock { if $0.last != title { $0.append(title) } }
        }
    }

    @Test func aSlowDelegateReceivesRangesInOrder() async throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            SongBook.signatures[0],
            representing: [
                SHMediaItem(properties: [.title: "whole"]),
                SHMediaItem(properties: [.title: "first", .timeRanges: [8.0..<8.5]]),
                SHMediaItem(properties: [.title: "second", .timeRanges: [8.5..<9.0]]),
            ])
        let clock = ManualClock()
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let listener = SlowListener()
        session.delegate = listener
        for buffer in SongBook.songs[0].render(from: 4, seconds: 3.9).pcmBuffers(ofFrames: 320) {
            clock.advance(by: .milliseconds(20))
            session.matchStreamingBuffer(buffer, at: nil)
        }
        // Without audio the clock alone begins the first range, on its own thread.
        clock.advance(by: .milliseconds(200))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                listener.isBusy.wait()
                continuation.resume()
            }
        }
        clock.advance(by: .milliseconds(500))
        session.matchStreamingBuffer(
            SongBook.songs[0].render(from: 7.9, seconds: 0.7).pcmBuffer(), at: nil)
        // The thread that delivers the first range delivers the second, too.
        #expect(try await eventually { listener.titles.withLock { $0.count } == 3 })
        #expect(listener.titles.withLock { $0 } == ["whole", "first", "second"])
    }
}
