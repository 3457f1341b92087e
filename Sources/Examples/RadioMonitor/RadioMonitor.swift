import EarshotKit
import Synchronization

/// Logs the references that a broadcast plays, in bounded memory.
///
/// The broadcast's samples are the clock, so it may be live or read from files.
package final class RadioMonitor: NSObject, SHSessionDelegate {
    /// A reference recognised again within this time continues its airing.
    private static let patienceSeconds = 15.0
    /// The time after which a session reports that a reference is lost.
    private static let noticeSeconds = 5.0

    private let catalog: SHCustomCatalog
    private let durations: [String: TimeInterval]
    private let clock = ManualClock()
    private let log: @Sendable (Airing) -> Void
    private let fail: @Sendable (any Error) -> Void
    private let open = Mutex<[OpenAiring]>([])
    private var session: SHSession?
    private var format: AVAudioFormat?

    /// Takes a catalog, a callback for ended airings and one for invalid audio.
    ///
    /// - Throws: `SHError` 300 if the catalog cannot be built.
    package init(
        catalog: SHCustomCatalog, log: @escaping @Sendable (Airing) -> Void,
        fail: @escaping @Sendable (any Error) -> Void
    ) throws {
        self.catalog = catalog
        self.log = log
        self.fail = fail
        durations = Dictionary(uniqueKeysWithValues: try catalog.references().map { ($0.id, $0.duration) })
    }

    /// The length of the broadcast so far, in seconds.
    package var heardSeconds: TimeInterval { clock.now.elapsed / .seconds(1) }

    /// Matches the next audio, in any format.
    package func append(_ buffer: AVAudioPCMBuffer) {
        clock.advance(by: .seconds(Double(buffer.frameLength) / buffer.format.sampleRate))
        session(for: buffer.format).matchStreamingBuffer(buffer, at: nil)
        close { heard, airing in
            airing.lostSinceSeconds.map { heard - $0 > Self.patienceSeconds } ?? false
        }
    }

    /// Logs the airings still open at the end of the broadcast.
    package func finish() { close { _, _ in true } }

    /// A session accepts one format, so a change starts a new one.
    private func session(for new: AVAudioFormat) -> SHSession {
        if let session, format == new { return session }
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        session.delegate = self
        self.session = session
        format = new
        return session
    }

    package func session(_ session: SHSession, didFind match: SHMatch) {
        let now = heardSeconds
        open.withLock { open in
            var seen: Set<String> = []
            for item in match.mediaItems where seen.insert(item.referenceID).inserted {
                let found = OpenAiring(item, duration: durations[item.referenceID] ?? 0, atSeconds: now)
                let known = open.firstIndex {
                    $0.item.referenceID == item.referenceID && $0.goesOn(as: found)
                }
                if let known { open[known].goOn(as: found) } else { open.append(found) }
                for place in open.indices
                where open[place].item.referenceID == item.referenceID && !open[place].goesOn(as: found) {
                    open[place].lose(atSeconds: found.startSeconds)
                }
            }
            for place in open.indices where !seen.contains(open[place].item.referenceID) {
                open[place].lose(atSeconds: now)
            }
        }
    }

    package func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {
        if let error { fail(error) }
        let now = heardSeconds
        open.withLock { open in
            for place in open.indices { open[place].lose(atSeconds: now - Self.noticeSeconds) }
        }
    }

    private func close(_ isOver: (TimeInterval, OpenAiring) -> Bool) {
        let heard = heardSeconds
        let over = open.withLock { open in
            let over = open.filter { isOver(heard, $0) }
            open.removeAll { isOver(heard, $0) }
            return over
        }
        for airing in over { log(airing.closed(atSeconds: heard)) }
    }
}
