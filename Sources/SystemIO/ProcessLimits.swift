/// The most that a program may use, from its first instruction on.
package struct ProcessLimits: Sendable {
    package var memoryBytes: UInt
    package var processorSeconds: UInt
    package var openFiles: UInt
    /// Whether the kernel refuses what no decoder does: sockets, other processes, and opening files to write.
    package var isConfined: Bool

    /// Files cannot be written.
    package init(memoryBytes: UInt, processorSeconds: UInt, openFiles: UInt, isConfined: Bool = false) {
        self.memoryBytes = memoryBytes
        self.processorSeconds = processorSeconds
        self.openFiles = openFiles
        self.isConfined = isConfined
    }
}
