import Evaluation
import Studies

/// The report of a study made again from the raw outcomes in its folder.
package struct StoredStudy {
    package let report: any Report
    package let summary: String

    /// - Throws: ``StoreError`` if the folder holds no study, several, or only a shard of one.
    package init(_ folder: StudyFolder) throws {
        let (key, facts) = try folder.onlyStudy()
        if let shard = facts.shard {
            throw StoreError(
                path: folder.path, message: "holds shard \(shard) of a study; merge all shards first")
        }
        switch facts.study {
        case "streams":
            let settings = try facts.settings(as: StreamStudy.Settings.self)
            let report = StreamReport(
                queries: try folder.store.outcomes(StreamedQuery?.self, of: key).compactMap(\.outcome),
                origin: facts.origin, blockFrames: settings.blockFrames, leadSeconds: settings.leadSeconds)
            (self.report, summary) = (report, report.summary)
        case "intros":
            let report = IntroReport(
                plan: try facts.settings(as: IntroPlanFile.self), origin: facts.origin,
                records: try folder.store.outcomes([IntroRecord].self, of: key).flatMap(\.outcome))
            (self.report, summary) = (report, report.summary)
        case "growth":
            let points = try GrowthPoint.stored(in: folder, of: key)
            report = GrowthReport(points: points, origin: facts.origin)
            summary = points.map(GrowthReport.summary).joined(separator: "\n")
        default:
            throw StoreError(path: folder.path, message: "holds an unknown study \(facts.study)")
        }
    }
}
