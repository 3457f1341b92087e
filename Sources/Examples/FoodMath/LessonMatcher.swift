import ShazamKit
import Synchronization

/// Follows a lesson and updates a screen.
///
/// The session reports when a timed item begins or ends and which items apply.
package final class LessonMatcher: NSObject, SHSessionDelegate {
    private let session: SHSession
    private let screen = Mutex(LessonScreen())
    private let show: @Sendable (LessonScreen) -> Void

    /// Takes a catalog of lessons and a callback for changes of the screen.
    ///
    /// - Parameters:
    /// - clock: The clock of a recording played faster; nil for the host's.
    /// - show: Called on any thread, one call at a time and in order.
    package init(
        catalog: SHCatalog, clock: PlaybackClock? = nil,
        show: @escaping @Sendable (LessonScreen) -> Void
    ) {
        session = clock.map { SHSession(catalog: catalog, clock: $0) } ?? SHSession(catalog: catalog)
        self.show = show
        super.init()
        session.delegate = self
    }

    package func match(_ buffer: AVAudioPCMBuffer, at time: AVAudioTime?) {
        session.matchStreamingBuffer(buffer, at: time)
    }

    package func session(_ session: SHSession, didFind match: SHMatch) { change(to: LessonScreen(match)) }

    package func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {
        change(to: LessonScreen())
    }

    /// Matches repeat; only changes are shown.
    private func change(to new: LessonScreen) {
        screen.withLock { screen in
            guard screen != new else { return }
            screen = new
            show(new)
        }
    }
}
