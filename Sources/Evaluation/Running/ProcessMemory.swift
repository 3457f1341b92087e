import Foundation

/// The memory of a process as the kernel counts it, where there is a `/proc`.
package enum ProcessMemory {
    /// What of this process lies in main memory now, in bytes; 0 where the system does not say.
    package static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The most memory that this process held since ``resetPeak()``, in bytes.
    package static var peakBytes: Int? { peakBytes(of: "self") }

    /// The most memory that the process with this number held, in bytes; nil when it is gone.
    package static func peakBytes(of process: String) -> Int? {
        Provenance.field("VmHWM", of: "/proc/\(process)/status", separator: ":")
            .flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// Has the peak of this process begin anew; where the kernel does not offer that, it stays.
    package static func resetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? file.write(contentsOf: Data("5".utf8))
        try? file.close()
    }
}
