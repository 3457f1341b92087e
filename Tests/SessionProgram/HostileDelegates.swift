import EarshotKit
import Synchronization

/// Delegates that throw, block, call back into the session and release it: every outcome comes, and the session ends.
enum HostileDelegates {
    private static let longestSeconds = 20.0

    /// The only strong reference to the session, which a delegate may drop.
    private final class Owner: Sendable {
        let session: Mutex<SHSession?>
        init(_ session: SHSession) { self.session = Mutex(session) }
        func release() {
            let old = session.withLock { session in
                defer { session = nil }
                return session
            }
            withExtendedLifetime(old) {}
        }
    }

    private final class Receiver: NSObject, SHSessionDelegate, @unchecked Sendable {
        // Sendable: the owner is set before the first call, and the count is behind its lock.
        let kind: Int
        let query: SHSignature
        var owner: Owner?
        let calls = Mutex(0)

        init(kind: Int, query: SHSignature) {
            self.kind = kind
            self.query = query
        }

        func session(_ session: SHSession, didFind match: SHMatch) { act(session) }
        func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?) {
            act(session)
        }

        private func act(_ session: SHSession) {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            switch kind {
            case 0: do { throw Wrong("thrown by a delegate") } catch {}
            case 1: usleep(200_000)
            case 2:
                guard call <= 5 else { return }
                session.match(query)
                for buffer in Noise.buffers(99, seconds: 1) { session.matchStreamingBuffer(buffer, at: nil) }
            case 3: owner?.release()
            case 4: session.delegate = call % 2 == 0 ? nil : self
            case 5:
                // Waits for a thread that calls the session.
                guard call <= 5 else { return }
                let done = DispatchSemaphore(value: 0)
                let thread = Thread { [query] in
                    session.match(query)
                    _ = session.results
                    done.signal()
                }
                thread.start()
                done.wait()
            default:
                guard call <= 3 else { return }
                // Waits for a task that asks the session.
                let done = DispatchSemaphore(value: 0)
                Task.detached { [query] in
                    _ = await session.result(from: query)
                    done.signal()
                }
                done.wait()
            }
        }
    }

    private struct Weak: @unchecked Sendable { weak var session: SHSession? }

    /// - Throws: A sentence about what is missing.
    static func attack(_ seed: UInt64) throws {
        let catalog = SHCustomCatalog()
        let item = SHMediaItem(properties: [.title: "noise", .timeRanges: [1.0..<2.0, 3.0..<4.0]])
        try catalog.addReferenceSignature(try Noise.signature(seed, seconds: 6), representing: [item])
        let query = try Noise.signature(seed, seconds: 3)
        let receiver = Receiver(kind: Int(seed % 7), query: query)
        var weak = Weak()
        do {
            let session =
                seed % 2 == 0
                ? SHSession(catalog: catalog)
                : SHSession(catalog: catalog, clock: PlaybackClock(ManualClock()))
            weak.session = session
            session.delegate = receiver
            receiver.owner = Owner(session)
        }
        for buffer in Noise.buffers(seed, seconds: 6) {
            receiver.owner?.session.withLock { $0 }?.matchStreamingBuffer(buffer, at: nil)
        }
        receiver.owner?.session.withLock { $0 }?.match(query)
        let end = Date().addingTimeInterval(longestSeconds)
        func wait(_ what: String, until isSo: () -> Bool) throws {
            while !isSo() {
                guard Date() < end else { throw Wrong("\(what) after \(longestSeconds) s") }
                usleep(1000)
            }
        }
        try wait("no outcome") { receiver.calls.withLock { $0 } > 0 }
        receiver.owner?.release()
        receiver.owner = nil
        try wait("the session is still there") { weak.session == nil }
    }
}
