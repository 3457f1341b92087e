import Foundation
import Testing

extension Tag {
    /// Tests that play, record, or wait for others at a pace of their own.
    ///
    /// `scripts/test.sh` runs them one by one, and before all others get the processor.
    @Tag public static var timed: Self
}

/// Waits until a condition holds, for as long as a slow machine needs; false if it does not within a minute.
public func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if try condition() { return true }
        Thread.sleep(forTimeInterval: 0.005)
    }
    return try condition()
}

/// The same without holding a thread.
public func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try await condition()
}
