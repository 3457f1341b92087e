import Synchronization

/// A pool of transforms of the analysis length: planning one takes longer than analysing a short query.
package final class TransformPool: Sendable {
    /// Sendable because each transform has one borrower at a time and a lock guards the list.
    private struct Idle: @unchecked Sendable {
        var transforms: [FramePairFFT] = []
    }
    private let idle = Mutex(Idle())
    private let transform: any ComplexTransform.Type
    private static let size = 2048
    private static let mostIdle = 64

    package init(_ transform: any ComplexTransform.Type) { self.transform = transform }

    package func borrow() -> FramePairFFT {
        let taken = idle.withLock { Loan(transform: $0.transforms.popLast()) }
        return taken.transform ?? FramePairFFT(size: Self.size, transform: transform)
    }

    package func giveBack(_ transform: FramePairFFT) {
        let loan = Loan(transform: transform)
        idle.withLock { idle in
            if let transform = loan.transform, idle.transforms.count < Self.mostIdle {
                idle.transforms.append(transform)
            }
        }
    }

    /// Sendable only to cross the lock; the borrower is the only owner.
    private struct Loan: @unchecked Sendable {
        let transform: FramePairFFT?
    }
}
