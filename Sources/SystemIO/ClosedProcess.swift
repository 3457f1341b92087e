internal import CConfinement
import Foundation
import Synchronization

/// While one of these lives, programs that this process starts cannot see what it was told.
///
/// Its command line reads as its name alone, from then on. Its environment, open files and memory are closed to other
/// programs of the same user. Nothing is closed to a program of the superuser.
package final class ClosedProcess: Sendable {
    private static let count = Mutex(0)
    private static let hidesArguments: Void = {
        // What reads the arguments later gets this copy.
        _ = CommandLine.arguments
        guard let text = FileContents.prefix(of: "/proc/self/stat", count: 4096),
            let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return }
        let fields = String(decoding: text[(end + 1)...], as: UTF8.self).split(separator: " ")
        // `arg_start` and `arg_end` are fields 48 and 49; the first after the name is field 3.
        guard fields.count > 46, let begin = UInt(fields[45]), let end = UInt(fields[46]), begin > 0,
            end > begin,
            let bytes = UnsafeMutablePointer<CChar>(bitPattern: begin)
        else { return }
        let name = strnlen(bytes, Int(end - begin))
        memset(bytes + name, 0, Int(end - begin) - name)
    }()

    package init() {
        Self.hidesArguments
        Self.count.withLock { count in
            count += 1
            confinement_close(true)
        }
    }

    deinit {
        Self.count.withLock { count in
            count -= 1
            if count == 0 { confinement_close(false) }
        }
    }
}
