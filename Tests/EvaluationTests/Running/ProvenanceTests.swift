import Evaluation
import Foundation
import TestSupport
import Testing

@Suite struct ProvenanceTests {
    /// A repository may name a program that watches its files.
    @Test func gitStartsNoProgramOfTheRepository() throws {
        let folder = try TemporaryFolder()
        let trace = folder.file("started")
        let monitor = folder.file("monitor")
        try "#!/bin/sh\ntouch '\(trace)'\n".write(toFile: monitor, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: monitor)
        for arguments in [
            ["init", "-q"], ["config", "core.fsmonitor", monitor], ["add", "."],
            ["-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "-m", "a"],
        ] {
            let git = try Process.run(
                URL(fileURLWithPath: "/usr/bin/git"), arguments: ["-C", folder.path] + arguments)
            git.waitUntilExit()
            try #require(git.terminationStatus == 0)
        }
        #expect(FileManager.default.fileExists(atPath: trace), "git asked the monitor")
        try FileManager.default.removeItem(atPath: trace)
        #expect(Provenance.commit(of: folder.path).count >= 12)
        #expect(!FileManager.default.fileExists(atPath: trace))
    }
}
