import Evaluation
import Foundation
@preconcurrency import Glibc
import SystemIO

struct ProcessTree {
    /// The process that was started, which leads a process group.
    let leader: pid_t
    let mark: Mark

    /// A limit on file locks, which no system heeds any more and which no other process has.
    ///
    /// Every child inherits it, also one that clears its environment and starts a session of its own.
    struct Mark {
        let locks = UInt64.random(in: (1 << 40)..<(1 << 62))

        /// The command of a shell that gives the mark to itself; shells have one option or the other.
        var command: String { "ulimit -w \(locks) 2>/dev/null || ulimit -x \(locks)" }

        /// The pattern, for `grep -E`, of the mark's line in `/proc/PROCESS/limits`.
        var pattern: String { "^Max file locks +\(locks) " }

        func isOn(_ process: pid_t) -> Bool {
            guard let limits = ProcessTree.contents(of: "/proc/\(process)/limits") else { return false }
            return limits.split(separator: 10).contains { line in
                line.starts(with: "Max file locks ".utf8)
                    && line.split(separator: 32).dropFirst(3).first?.elementsEqual("\(locks)".utf8) == true
            }
        }
    }

    private struct Entry {
        let id: pid_t
        let parent: pid_t
        let group: pid_t
        let isDead: Bool
        /// Ticks of its own, and of reaped children.
        let ownTicks: Double
        let childTicks: Double
        let residentPages: Int
    }

    /// Processor seconds of all living processes and of those they have reaped.
    ///
    /// The unit of a living process is the nanosecond, of a reaped one the tick of 10 ms.
    var processorSeconds: Double? {
        let members = members
        guard !members.isEmpty else { return nil }
        let tick = 1 / Double(sysconf(Int32(_SC_CLK_TCK)))
        return members.reduce(0) { sum, entry in
            sum + (Self.clock(of: entry.id) ?? entry.ownTicks * tick) + entry.childTicks * tick
        }
    }

    var residentBytes: Int {
        members.reduce(0) { $0 + $1.residentPages } * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The sum of the greatest memory of each, in bytes.
    var peakBytes: Int {
        members.compactMap { ProcessMemory.peakBytes(of: String($0.id)) }.reduce(0, +)
    }

    var memberCount: Int { members.count { !$0.isDead } }

    /// Kills all of them, also those that left the group or their parent, and waits for their end.
    func kill() {
        for _ in 0..<200 {
            killpg(leader, SIGKILL)
            let left = Self.all.filter { !$0.isDead && ($0.group == leader || mark.isOn($0.id)) }
            if left.isEmpty { return }
            for entry in left { Glibc.kill(entry.id, SIGKILL) }
            usleep(10_000)
        }
    }

    private var members: [Entry] {
        let all = Self.all
        var found = Set([leader])
        var grows = true
        while grows {
            let more = all.filter {
                !found.contains($0.id) && ($0.group == leader || found.contains($0.parent))
            }
            found.formUnion(more.map(\.id))
            grows = !more.isEmpty
        }
        return all.filter { found.contains($0.id) }
    }

    private static var all: [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0).flatMap(entry) }
    }

    private static func entry(_ id: pid_t) -> Entry? {
        // The name in parentheses may hold anything, so fields are counted after it.
        guard let text = contents(of: "/proc/\(id)/stat"), let end = text.lastIndex(of: 41) else {
            return nil
        }
        let fields = String(decoding: text[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 21, let parent = pid_t(fields[1]), let group = pid_t(fields[2]) else {
            return nil
        }
        let ticks = fields[11...14].map { Double($0) ?? 0 }
        return Entry(
            id: id, parent: parent, group: group, isDead: fields[0] == "Z" || fields[0] == "X",
            ownTicks: ticks[0] + ticks[1], childTicks: ticks[2] + ticks[3],
            residentPages: Int(fields[21]) ?? 0)
    }

    private static func clock(of process: pid_t) -> Double? {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    fileprivate static func contents(of path: String) -> [UInt8]? {
        FileContents.prefix(of: path, count: 4096)
    }
}
