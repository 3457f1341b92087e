import Evaluation
import Foundation
import TestSupport
import Testing

@Suite struct ProvenanceTests {
    @Test func provenanceAndFiguresAreOneFlatObject() throws {
        var facts = ShardBench.facts()
        facts.scoreThreshold = 7
        facts.shard = Shard(number: 1, count: 2)
        func names(_ value: some Encodable) throws -> Set<String> {
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
            return Set(try #require(object as? [String: Any]).keys)
        }
        let (origin, figures) = (try names(facts.provenance), try names(facts.figures))
        #expect(origin.isSuperset(of: ["planName", "matcher", "cachedAnswers"]))
        #expect(figures.isSuperset(of: ["jobs", "scoreThreshold", "shard"]))
        #expect(origin.isDisjoint(with: figures))
        #expect(try names(facts) == origin.union(figures))
        #expect(try JSONDecoder().decode(RunFacts.self, from: JSONEncoder().encode(facts)) == facts)
    }

    /// A repository may name programs that watch its files and that change what is stored of them.
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
        let filter = "[filter \"a=b\"]\n\tclean = \(monitor)\n\trequired = true\n"
        let config = folder.file(".git/config")
        try (String(contentsOfFile: config, encoding: .utf8) + filter)
            .write(toFile: config, atomically: true, encoding: .utf8)
        try "* filter=a=b\n".write(
            toFile: folder.file(".git/info/attributes"), atomically: true, encoding: .utf8)
        try "#!/bin/sh\ntouch '\(trace)'\n# another\n".write(
            toFile: monitor, atomically: true, encoding: .utf8)
        try FileManager.default.removeItem(atPath: trace)
        let commit = Provenance.commit(of: folder.path)
        #expect(commit.count >= 13 && commit.hasSuffix("+"))
        #expect(!FileManager.default.fileExists(atPath: trace))
    }
}
