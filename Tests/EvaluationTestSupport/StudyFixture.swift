import Corpora
import Evaluation
import Foundation
import GRDB
import TestSupport

/// A study in a folder that the test owns.
package struct StudyFixture {
    package let folder: TemporaryFolder

    package init() throws { folder = try TemporaryFolder() }

    package func path(_ name: String = "study") -> String { folder.path + "/" + name }

    package func run(
        _ name: String = "study", of study: some Study = MadeUpStudy(), matcher: String = "d",
        shard: Shard? = nil, seed: UInt64 = 1, isFresh: Bool = false, jobs: Int = 2
    ) throws -> StudyRun {
        try StudyRun(
            of: study, in: path(name),
            origin: Provenance(
                matcher: .init(name: "made up", version: "1", settings: [:], digest: matcher), planName: "p",
                request: RunRequest(), corpusName: "synthetic", corpusDigest: "c", half: .test, seed: seed,
                commit: "none", toolVersions: [:], startedAt: "\(Date())"),
            shard: shard, isFresh: isFresh, jobs: jobs)
    }

    /// Deletes all outcomes but the first `count`, as if the study had been killed after them.
    package func forgetOutcomes(of name: String = "study", after count: Int) throws {
        try DatabaseQueue(path: path(name) + "/trials.sqlite").write { database in
            try database.execute(
                sql: "DELETE FROM record WHERE kind = 'trial' AND position >= ?",
                arguments: [count])
        }
    }
}

/// A study of eight trials.
package struct MadeUpStudy: Study {
    package static let name = "made up"
    package var settings = [1024]
    package var identity = ["study"]
    package var trialCount = 8

    package init() {}

    package init(identity: [String]) { self.identity = identity }
}
