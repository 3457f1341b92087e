import Foundation
import GRDB

extension TrialStore {
    package func save(_ detail: TrialDetail, of run: RunKey) throws {
        let data = try JSONEncoder().encode(detail)
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO detail (plan, matcher, trial, detail) VALUES (?, ?, ?, ?)",
                arguments: [run.plan, run.matcher, detail.trialID, data])
        }
    }

    package func detailedTrials(of run: RunKey) throws -> Set<String> { try names(in: "detail", of: run) }

    package func detail(of trial: String, in run: RunKey) throws -> TrialDetail? {
        try database.read { database in
            try Data.fetchOne(
                database, sql: "SELECT detail FROM detail WHERE plan = ? AND matcher = ? AND trial = ?",
                arguments: [run.plan, run.matcher, trial]
            ).map { try JSONDecoder().decode(TrialDetail.self, from: $0) }
        }
    }

    package func addDetails(of source: RunKey, from other: TrialStore, to run: RunKey) throws {
        for trial in try other.detailedTrials(of: source).sorted() {
            if let detail = try other.detail(of: trial, in: source) { try save(detail, of: run) }
        }
    }
}
