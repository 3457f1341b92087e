import Foundation

/// The kernel's filters of system calls, which some containers do not offer.
public enum SystemCallFilters {
    /// Whether tests that need them run.
    public static let areOffered =
        (try? String(contentsOfFile: "/proc/sys/kernel/seccomp/actions_avail", encoding: .utf8))?
        .contains("errno") ?? false
}
