import Foundation
import KitTestSupport
import TestSupport
import Testing

/// What is acknowledged is on the disk, and what is forgotten on the disk is removed only then.
@Suite(.enabled(if: Strace.isWanted, "strace is not installed, or may not trace"), .timeLimit(.minutes(10)))
struct DurabilityTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a traced program did, in order.
    private enum Act: Equatable {
        case wrote(path: String, thread: Substring)
        case synchronised(path: String)
        case removed(path: String, thread: Substring)
        case answered

        var isRemovalOfSegment: Bool {
            if case .removed(let path, _) = self { path.contains("/segment-") } else { false }
        }
    }

    private static let calls = "pwrite64,fdatasync,fsync,unlink,unlinkat,write,writev,sendto,sendmsg"

    private var tracing: [String] {
        [
            "/usr/bin/strace", "-D", "-f", "-qq", "-y", "-s", "12", "-e", "trace=\(Self.calls)", "-o",
            folder.file("trace"),
        ]
    }

    /// An answer counts from its start on, everything else from its end.
    private func acts() throws -> [Act] {
        var unfinished: [Substring: String] = [:]
        return try String(contentsOfFile: folder.file("trace"), encoding: .utf8).split(separator: "\n")
            .compactMap { line in
                let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
                guard parts.count == 2 else { return nil }
                let thread = parts[0]
                var text = String(parts[1].drop { $0 == " " })
                if text.contains("\"HTTP/1.1 200") { return .answered }
                if text.hasSuffix("<unfinished ...>") {
                    unfinished[thread] = text
                    return nil
                }
                if text.hasPrefix("<...") { text = (unfinished[thread] ?? "") + text }
                if text.hasPrefix("unlink") {
                    return text.split(separator: "\"").dropFirst().first.map {
                        .removed(path: String($0), thread: thread)
                    }
                }
                guard let open = text.firstIndex(of: "<"), let close = text[open...].firstIndex(of: ">")
                else { return nil }
                let path = String(text[text.index(after: open)..<close])
                if text.hasPrefix("f") { return .synchronised(path: path) }
                return path.hasPrefix("/") ? .wrote(path: path, thread: thread) : nil
            }
    }

    @Test func anAnswerFollowsTheSyncAndARemovalToo() throws {
        let tokens = folder.file("tokens")
        let token = "bbbbbbbbbbbbbbbb"
        try "editor match,write \(token)\n".write(toFile: tokens, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
        let server = try ServerProcess(
            ["--store", folder.file("store"), "--tokens", tokens, "--requests-per-second", "0"],
            through: tracing)
        let signature = SongBook.signatures[0].signature.slice(fromSeconds: 6, durationSeconds: 8)
        let body = Array(
            #"{"signature":"\#(Data(signature.encoded()).base64EncodedString())","items":[]}"#.utf8)
        // Enough for segments to be written and merged.
        for number in 0..<80 {
            let answer = try RawConnection.ask(
                server.port, "PUT", "/v1/references/r\(number)", headers: ["Authorization: Bearer \(token)"],
                body: body)
            #expect(answer?.status == 200)
        }
        func segments() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.file("store"))) ?? [])
                .filter { $0.hasPrefix("segment-") }
        }
        let merged = Set((1...4).map { "segment-\($0).earcatalog" })
        #expect(eventually { !segments().isEmpty && merged.isDisjoint(with: segments()) })
        #expect(try server.end().status == 0)

        var unsynchronised: [String: Set<Substring>] = [:]
        var (syncs, answers, removals) = (0, 0, 0)
        for act in try acts() {
            switch act {
            case .wrote(let path, let thread) where path.hasSuffix("-wal"):
                unsynchronised[path, default: []].insert(thread)
            case .synchronised(let path):
                if unsynchronised.removeValue(forKey: path) != nil { syncs += 1 }
            case .answered:
                answers += 1
                #expect(syncs >= answers)
            case .removed(_, let thread) where act.isRemovalOfSegment:
                removals += 1
                // Others may be in the middle of changes.
                #expect(unsynchronised.values.allSatisfy { !$0.contains(thread) })
            default: break
            }
        }
        #expect(answers == 80 && removals >= 4)
    }

    @Test func eachTrialOfARunIsOnTheDisk() throws {
        let plan = folder.file("tiny.yaml")
        try EvaluateTests.plan.write(toFile: plan, atomically: true, encoding: .utf8)
        let run = try EarshotProcess.Started(
            command: tracing + [
                EarshotProcess.binary, "evaluate", "--plan", plan, "--matcher", "oracle", "--details", "0",
                "--no-cache",
                "--output", folder.file("run"),
            ]
        ).finish()
        #expect(run.status == 0, "\(run.errors)")
        let trials =
            try String(contentsOfFile: folder.file("run/trials.csv"), encoding: .utf8).split(
                separator: "\r\n"
            ).count - 1
        var syncs = 0
        var isSynchronised = true
        for act in try acts() {
            switch act {
            case .wrote(let path, _) where path.hasSuffix("/run/trials.sqlite-wal"): isSynchronised = false
            case .synchronised(let path) where path.hasSuffix("/run/trials.sqlite-wal"):
                syncs += 1
                isSynchronised = true
            default: break
            }
        }
        #expect(trials > 10 && syncs >= trials && isSynchronised)
    }

    /// A part of what the script does.
    @Test func powerLossLosesNothing() throws {
        let run = try EarshotProcess(
            shell: "EARSHOT_BINARY=\"$EARSHOT\" exec python3 scripts/checks/power-loss.py --points 60")
        #expect(run.status == 0 && run.output.contains("| all | 60 | 0 | 0 |"), "\(run)")
    }
}
