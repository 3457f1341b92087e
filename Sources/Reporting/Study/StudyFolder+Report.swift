import Evaluation
import Studies

extension StudyFolder {
    /// The report of the folder's study, made again from its raw outcomes.
    ///
    /// - Throws: ``StoreError`` if the folder holds no finished study, several, or only a shard of one.
    package func storedReport() throws -> any Report {
        let (key, facts) = try finishedStudy()
        switch facts.study {
        case StreamStudy.name:
            let settings = try facts.settings(as: StreamStudy.Settings.self)
            return StreamReport(
                queries: try store.contents(StreamedQuery?.self, as: .outcome, in: key).compactMap(\.content),
                origin: facts.origin, blockFrames: settings.blockFrames, leadSeconds: settings.leadSeconds)
        case IntroStudy.name:
            return IntroReport(
                plan: try facts.settings(as: IntroPlanFile.self), origin: facts.origin,
                records: try store.contents([IntroRecord].self, as: .outcome, in: key).flatMap(\.content))
        case GrowthStudy.name:
            return GrowthReport(points: try GrowthPoint.stored(in: self, of: key), origin: facts.origin)
        case NegativeStudy.name:
            return NegativeReport(try NegativeStreams(stored: self, of: key, facts))
        default:
            throw StoreError(path: path, message: "only `\(facts.study)` itself can write its report again")
        }
    }
}
