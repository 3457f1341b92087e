import Foundation
import GRDB

/// The rows of a study in a store of version 3, which had kinds of their own: `outcome` for a trial, `study` for facts.
enum StudyRows {
    private struct Facts: Decodable {
        let study: String
        let settings: Data
        let origin: Provenance
        let trialCount: Int
        let shard: Shard?
    }

    /// Makes them rows of the present version.
    ///
    /// - Throws: ``Damage`` or a decoding error for a row that cannot be what was written.
    static func convert(_ database: Database) throws {
        func rows(of kind: String) throws -> [(run: TrialStore.RunKey, row: TrialStore.Row)] {
            try GRDB.Row.fetchAll(database, sql: "SELECT * FROM record WHERE kind = ?", arguments: [kind])
                .map(TrialStore.Row.checked)
        }
        var studies: [TrialStore.RunKey: RunFacts.StudySettings] = [:]
        for (run, row) in try rows(of: "study") {
            let old = try row.content(Facts.self)
            var facts = RunFacts(old.origin)
            facts.study = .init(name: old.study, settings: String(decoding: old.settings, as: UTF8.self))
            facts.trialCount = old.trialCount
            facts.shard = old.shard
            studies[run] = facts.study
            try TrialStore.Row(.beginning, of: "0", facts).insert(into: database, of: run)
        }
        for (run, row) in try rows(of: "outcome") {
            if studies[run]?.name == "frontier", row.trial == "facts" {
                var facts = try row.content(RunFacts.self)
                facts.study = studies[run]
                try TrialStore.Row(.facts, facts).insert(into: database, of: run)
            } else {
                try TrialStore.Row(
                    kind: TrialStore.Kind.trial.rawValue, trial: row.trial, position: row.position,
                    data: row.data
                ).insert(into: database, of: run)
            }
        }
        try database.execute(sql: "DELETE FROM record WHERE kind IN ('outcome', 'study')")
    }
}
