/// A folder with one shard of a run or of a study.
@dynamicMemberLookup
struct ShardFolder: Hashable, Sendable {
    let path: String
    let shard: Shard
    let run: StoredRun

    subscript<Value>(dynamicMember path: KeyPath<StoredRun, Value>) -> Value { run[keyPath: path] }

    /// The machines of the run; several if it was killed and resumed elsewhere.
    var machines: [RunFacts.Machine] { run.beginnings.map(\.machine) }

    /// Reads the folder at `path`, which no evaluation may be writing.
    ///
    /// - Throws: ``StoreError`` when it cannot be read or is locked, ``MergeError`` when it holds no shard.
    init(path: String) throws {
        try self.init(RunFolder(existing: path))
    }

    init(_ folder: RunFolder) throws {
        path = folder.path
        let runs = try folder.store.storedRuns()
        guard let run = runs.first else {
            throw MergeError("\(path): holds no shard; the evaluation may have been killed at its start")
        }
        let noun = run.facts.noun
        guard !run.beginnings.isEmpty else {
            throw MergeError("\(path): holds a merged \(noun), not a shard")
        }
        guard runs.count == 1 else {
            throw MergeError("\(path): holds \(runs.count) runs; expected one shard")
        }
        guard let shard = run.facts.shard else {
            throw MergeError("\(path): holds a whole \(noun), not a shard; it needs no merging")
        }
        self.shard = shard
        self.run = run
    }

    /// How the run differs from that of `other`; nil where both are shards of one run.
    func difference(from other: ShardFolder) -> String? {
        let (own, others) = (run.facts, other.facts)
        let parts: [(String, String, String)] = [
            ("study", own.study?.name ?? "none", others.study?.name ?? "none"),
            ("seed", "\(own.seed)", "\(others.seed)"), ("plan", own.planName, others.planName),
            ("corpus", own.corpusName, others.corpusName), ("half", own.half.rawValue, others.half.rawValue),
            ("lock of the corpus", own.corpusDigest, others.corpusDigest),
            ("digest of the plan", own.planDigest, others.planDigest),
            ("settings of the study", own.study?.settings ?? "", others.study?.settings ?? ""),
            ("digest of the study", run.key.plan, other.key.plan),
            ("number of trials", "\(own.trialCount)", "\(others.trialCount)"),
            ("number of shards", "\(shard.count)", "\(other.shard.count)"),
            ("matcher", own.matcher.name, others.matcher.name),
            ("version of the matcher", own.matcher.version, others.matcher.version),
            ("settings of the matcher", Self.text(own.matcher.settings), Self.text(others.matcher.settings)),
        ]
        if let part = parts.first(where: { $0.1 != $0.2 }) { return "\(part.0) \(part.1) against \(part.2)" }
        guard own.matcher.digest != others.matcher.digest else { return nil }
        // Other processors may round differently. The same sources then give equal answers, but not to the last bit.
        if !own.machine.isAlike(others.machine), own.commit == others.commit { return nil }
        return
            "answers of the matcher to fixed queries \(own.matcher.digest) against \(others.matcher.digest)"
    }

    private static func text(_ settings: [String: String]) -> String {
        settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}

package struct MergeError: Error, CustomStringConvertible, Sendable {
    /// A shard that is missing or not finished.
    package struct Missing: Hashable, Sendable {
        package let shard: Shard
        /// Where it was begun; nil where no folder holds it.
        package let folder: String?
        /// What makes the run.
        package let request: RunRequest
    }

    /// What was found and what was expected.
    package let description: String
    /// What has to be run before the shards can be merged.
    package let missing: [Missing]

    /// Makes an error.
    package init(_ description: String, missing: [Missing] = []) {
        self.description = description
        self.missing = missing
    }
}
