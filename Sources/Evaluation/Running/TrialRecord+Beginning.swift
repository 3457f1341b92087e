import Corpora

extension TrialRecord {
    /// Starts the record of a trial that has not been run.
    package init(_ trial: Trial) {
        self.init(
            trialID: trial.id, index: trial.index, degradation: trial.cell.degradation,
            severity: trial.cell.severity, severityValue: trial.cell.severityValue,
            lengthSeconds: trial.cell.lengthSeconds, isPositive: trial.isPositive,
            source: trial.source ?? trial.recorded?.name ?? "silence",
            sourceClass: "", truthReferences: [], truthOffsetDeltas: [:], truth: nil, redraws: 0,
            chain: trial.chain.json,
            querySampleRate: 0, queryChannels: 0, queryFrames: 0, queryDigest: "", candidates: [],
            isOffered: true)
        fold = trial.fold
        queryFile = trial.recorded?.name
        queryPart = trial.recorded?.part
    }

    /// Makes a record of a query without its answers.
    ///
    /// - Parameters:
    ///   - query: nil if its format is not offered.
    ///   - tracks: the corpus by id. A source that is not in it counts as its own reference.
    package init(_ trial: Trial, query: RenderedQuery?, tracks: [String: Track]) throws {
        self.init(trial)
        if let source = trial.source, trial.recorded == nil, tracks[source] == nil {
            truthReferences = [source]
            truthOffsetDeltas = [source: 0]
        } else {
            try addReferences(of: trial) { id in
                guard let track = tracks[id] else {
                    throw StoreError(path: trial.id, message: "the corpus has no track \(id)")
                }
                return track
            }
        }
        isOffered = query != nil
        if let query { describe(QueryFacts(query)) }
    }

    /// Adds the right references of `trial` and the offsets between them.
    package mutating func addReferences(of trial: Trial, track: (String) throws -> Track) throws {
        if let recorded = trial.recorded { return try take(recorded, track: track) }
        guard let source = trial.source else { return }
        let origin = try track(source)
        sourceClass = origin.classID
        guard trial.isPositive else { return }
        for member in origin.classMembers where try track(member.id).isEnrolled {
            truthReferences.append(member.id)
            truthOffsetDeltas[member.id] = member.offsetSeconds
        }
    }
}
