import Foundation

/// The program `strace`, which records system calls, and makes them fail.
enum Strace {
    /// Whether tests with it run.
    ///
    /// Where all tests must run, they fail without it, but not on a machine that forbids tracing.
    static let isWanted =
        access("/usr/bin/strace", X_OK) == 0
        ? system("exec 2>/dev/null; strace -f -qq -o /dev/null -e inject=chdir:error=EIO sh -c '! cd /'") == 0
        : ProcessInfo.processInfo.environment["EARSHOT_EVERY_TEST"] != nil
}
