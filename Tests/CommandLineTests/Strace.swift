import Foundation

/// The program `strace`, which records system calls, and makes them fail.
enum Strace {
    /// Whether tests with it run.
    ///
    /// Where all tests must run, they fail without it, but not on a machine that forbids tracing.
    static let isWanted =
        access("/usr/bin/strace", X_OK) == 0
        ? system("/usr/bin/strace -D -f -qq -o /dev/null true 2>/dev/null") == 0
        : ProcessInfo.processInfo.environment["EARSHOT_EVERY_TEST"] != nil
}
