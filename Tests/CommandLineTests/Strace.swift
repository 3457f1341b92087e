import Foundation

/// The program `strace`, which records system calls, and makes them fail.
enum Strace {
    static let isInstalled = access("/usr/bin/strace", X_OK) == 0
    /// Whether tests with it run: where all must run, they fail without it.
    static var isWanted: Bool {
        isInstalled || ProcessInfo.processInfo.environment["EARSHOT_EVERY_TEST"] != nil
    }
}
