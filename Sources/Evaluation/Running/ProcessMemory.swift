import Foundation

/// The memory of a process as `/proc` reports it.
package enum ProcessMemory {
    /// The resident memory of this process now, in bytes; 0 if unknown.
    package static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The peak memory of this process since ``resetPeak()``, in bytes.
    package static var peakBytes: Int? { peakBytes(of: "self") }

    /// The peak memory of the process with this identifier, in bytes; nil if it has ended.
    package static func peakBytes(of process: String) -> Int? {
        let field = Provenance.field("VmHWM", of: "/proc/\(process)/status", separator: ":")
        guard let number = field?.split(separator: " ").first, let kilobytes = Int(number) else { return nil }
        return kilobytes * 1024
    }

    /// Resets the peak of this process, if the kernel can.
    package static func resetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? file.write(contentsOf: Data("5".utf8))
        try? file.close()
    }
}
