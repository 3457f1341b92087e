import EarshotKit
import Synchronization

/// Listens to a lesson and keeps a screen in step with it.
///
/// All the work is done by a session: it says when a timed item begins and ends, and which apply.
public final class LessonMatcher: NSObject, SHSessionDelegate {
    private let session: SHSession
    private let screen = Mutex(LessonScreen())
    private let show: @Sendable (LessonScreen) -> Void

    /// Takes a catalog of lessons, and what to do when the screen changes.
    ///
    /// - Parameters:
    ///   - clock: the time that lessons are followed by: the host's, or that of a recording which is played faster.
    ///   - show: called on any thread, for one screen at a time and in order.
    public init(
        catalog: SHCatalog, clock: PlaybackClock = .continuous,
        show: @escaping @Sendable (LessonScreen) -> Void
    ) {
        session = SHSession(catalog: catalog, clock: clock)
        self.show = show
        super.init()
        session.delegate = self
    }

    /// Takes what was heard next.
    public func hear(_ buffer: AVAudioPCMBuffer, at time: AVAudioTime?) {
        session.matchStreamingBuffer(buffer, at: time)
    }

    /// Shows what applies now.
    public func session(_ session: SHSession, didFind match: SHMatch) { change(to: LessonScreen(match)) }

    /// Clears the screen.
    public func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {
        change(to: LessonScreen())
    }

    /// Matches are repeated: only what differs is shown.
    private func change(to new: LessonScreen) {
        screen.withLock { screen in
            guard screen != new else { return }
            screen = new
            show(new)
        }
    }
}
