import Evaluation
import Studies

extension RunFolder {
    /// The report of the folder's study, made again from its raw outcomes.
    ///
    /// - Throws: ``StoreError`` if the folder holds no finished study, several, or only a shard of one.
    package func studyReport() throws -> any Report {
        let study = try finishedStudy()
        let (facts, origin) = (study.facts, study.facts.provenance)
        func outcomes<Outcome: Decodable>(_: Outcome.Type) throws -> [Outcome] {
            try store.contents(Outcome.self, as: .trial, in: study.key).map(\.content)
        }
        switch facts.study?.name {
        case StreamStudy.name:
            return StreamReport(
                queries: try outcomes(StreamedQuery?.self).compactMap(\.self), origin: origin,
                settings: try facts.settings(as: StreamStudy.Settings.self))
        case IntroStudy.name:
            return IntroReport(
                plan: try facts.settings(as: IntroPlanFile.self), origin: origin,
                records: try outcomes([IntroRecord].self).flatMap(\.self))
        case PassageStudy.name:
            guard let outcome = try outcomes(PassageOutcome.self).first else {
                throw StoreError(path: path, message: "the recording was not played to its end")
            }
            return PassageReport(outcome, origin: origin)
        case GrowthStudy.name:
            return GrowthReport(points: try GrowthPoint.stored(study, in: store), origin: origin)
        case NegativeStudy.name:
            return NegativeReport(try NegativeStreams(study, in: store))
        case let name:
            throw StoreError(path: path, message: "only `\(name ?? "")` itself can write its report again")
        }
    }
}
