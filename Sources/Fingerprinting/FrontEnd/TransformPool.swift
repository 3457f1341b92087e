import SignalProcessing
import Synchronization

/// Lends out transforms of the analysis length: planning one costs more than analysing a short query.
final class TransformPool: Sendable {
    /// The pool of all analyses.
    static let shared = TransformPool()

    /// Sendable because a transform is used by one borrower at a time and the list is locked.
    private struct Idle: @unchecked Sendable {
        var transforms: [FramePairFFT] = []
    }
    private let idle = Mutex(Idle())
    private static let size = 2048
    private static let mostIdle = 64

    /// Takes a transform out of the pool, or makes one.
    func borrow() -> FramePairFFT {
        let taken = idle.withLock { Loan(transform: $0.transforms.popLast()) }
        return taken.transform ?? FramePairFFT(size: Self.size)
    }

    /// Gives a transform back.
    func giveBack(_ transform: FramePairFFT) {
        let loan = Loan(transform: transform)
        idle.withLock { idle in
            if let transform = loan.transform, idle.transforms.count < Self.mostIdle {
                idle.transforms.append(transform)
            }
        }
    }

    /// Sendable only to cross the lock; the borrower is its one owner.
    private struct Loan: @unchecked Sendable {
        let transform: FramePairFFT?
    }
}
