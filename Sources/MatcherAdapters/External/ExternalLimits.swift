import Foundation

/// What a matcher in a process of its own may take; beyond it the process and all its children are killed.
package struct ExternalLimits: Sendable, Hashable {
    /// Seconds from the start to the answer to `hello`.
    package var helloSeconds = 60.0
    /// Seconds to learn one reference.
    package var enrolSeconds = 300.0
    /// Seconds to build the index, at `ready`.
    package var readySeconds = 900.0
    /// Seconds to answer a query.
    package var querySeconds = 30.0
    /// Seconds to exit after standard input has ended.
    package var exitSeconds = 2.0
    /// Bytes of memory that all processes of the matcher may hold together; three quarters of this machine's.
    ///
    /// Looked at every 0.2 s while an answer is awaited, as the sum of resident sets, pages that two
    /// processes share counted twice.
    package var memoryBytes = Int(ProcessInfo.processInfo.physicalMemory / 4 * 3)
    /// Bytes in a line of an answer.
    package var lineBytes = 1 << 20
    /// Bytes of standard error that are kept, the last ones.
    package var complaintBytes = 1 << 16
    /// How often a matcher that died or was ended is started again and taught its references anew.
    package var restarts = 5
    /// Seconds before it is started again the first time; each time after that waits twice as long.
    package var backOffSeconds = 0.25

    /// The limits described above.
    package init() {}
}
