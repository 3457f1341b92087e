import Corpora

extension SuspectList {
    /// Whether the list puts the truth of a trial in doubt.
    ///
    /// It does if the query comes from a doubtful passage, or if the claim is the recording that shares it.
    ///
    /// - Parameter claim: The named reference; nil when none was named.
    package func putsInDoubt(_ record: TrialRecord, claim: String?) -> Bool {
        entries.contains { entry in
            guard entry.judgement != .different else { return false }
            let places = [
                (entry.first, entry.second, entry.firstSeconds),
                (entry.second, entry.first, entry.secondSeconds),
            ]
            return places.contains { own, other, begin in
                guard record.trial.source == own else { return false }
                if let claim, claim == other, !record.truthReferences.contains(claim) { return true }
                guard let start = record.sourceStartSeconds, let end = record.sourceEndSeconds else {
                    return true
                }
                return start < begin + entry.lengthSeconds && begin < end
            }
        }
    }
}
