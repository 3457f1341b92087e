import Corpora

extension SuspectList {
    /// Whether the truth of a trial is in doubt: its query comes from a doubtful passage, or it was taken for
    /// the recording that its source is in doubt with.
    ///
    /// - Parameter claim: The reference that was named; nil when none was.
    package func putsInDoubt(_ record: TrialRecord, claim: String?) -> Bool {
        entries.contains { entry in
            guard entry.judgement != .different else { return false }
            let places = [
                (entry.first, entry.second, entry.firstSeconds),
                (entry.second, entry.first, entry.secondSeconds),
            ]
            return places.contains { own, other, begin in
                guard record.source == own else { return false }
                if let claim, claim == other, !record.truthReferences.contains(claim) { return true }
                guard let start = record.sourceStartSeconds, let end = record.sourceEndSeconds else {
                    return true
                }
                return start < begin + entry.lengthSeconds && begin < end
            }
        }
    }
}
