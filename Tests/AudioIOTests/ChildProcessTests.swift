import SystemIO
import Testing

struct ChildProcessTests {
    /// More on both outputs than any buffer between processes holds.
    @Test func bothOutputsAreDrained() throws {
        let child = try ChildProcess.run(
            "sh", ["-c", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo last >&2; exit 3"],
            timeoutSeconds: 60, maximumOutputBytes: 1 << 30)
        #expect(child.end == .exited(3))
        #expect(child.output.count == 3_000_000)
        #expect(child.complaint.hasSuffix("last\n") && child.complaint.utf8.count == 65_536)
    }

    @Test func inputIsEmpty() throws {
        let child = try ChildProcess.run("cat", [], timeoutSeconds: 60, maximumOutputBytes: 10)
        #expect(child.end == .exited(0) && child.output.isEmpty)
    }

    @Test func endlessProgramsAreKilled() throws {
        let sleep = try ChildProcess.run("sleep", ["1000"], timeoutSeconds: 0.05, maximumOutputBytes: 10)
        #expect(sleep.end == .timedOut)
        let zeros = try ChildProcess.run(
            "cat", ["/dev/zero"], timeoutSeconds: 60, maximumOutputBytes: 1_000_000)
        #expect(zeros.end == .exceededOutput)
    }

    @Test func signalsAndMissingPrograms() throws {
        let child = try ChildProcess.run(
            "sh", ["-c", "kill -9 $$"], timeoutSeconds: 60, maximumOutputBytes: 10)
        #expect(child.end == .signalled(9))
        let error = #expect(throws: ProcessStart.Failure.self) {
            try ChildProcess.run("no-such-program", [], timeoutSeconds: 1, maximumOutputBytes: 1)
        }
        #expect(error?.isMissing == true)
    }

    @Test func manyAtOnceDoNotHoldEachOtherOpen() async {
        let ends = await withTaskGroup(of: ChildProcess.End?.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try? ChildProcess.run(
                        "echo", ["\(number)"], timeoutSeconds: 60, maximumOutputBytes: 100
                    ).end
                }
            }
            return await group.reduce(into: [ChildProcess.End?]()) { $0.append($1) }
        }
        #expect(ends == [ChildProcess.End?](repeating: .exited(0), count: 40))
    }

    @Test func limitsHold() throws {
        let limits = ProcessLimits(memoryBytes: 1 << 30, processorSeconds: 77, openFiles: 33)
        // The limits are set while the program starts.
        let result = try ChildProcess.run(
            "sh", ["-c", "sleep 0.2; ulimit -v; ulimit -t; ulimit -n; ulimit -f"], timeoutSeconds: 60,
            maximumOutputBytes: 1000, limits: limits)
        #expect(String(decoding: result.output, as: UTF8.self) == "1048576\n77\n33\n0\n")
    }
}
