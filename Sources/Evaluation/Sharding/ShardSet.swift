import Degradations
import Foundation

/// The folders of all shards of one run or study, checked for completeness and equal facts.
package struct ShardSet: Sendable {
    let shards: [ShardFolder]
    /// More folders of the same shards, for example of a task that ran twice.
    let repeats: [ShardFolder]
    package let warnings: [String]
    package let remarks: [String]

    /// Reads the facts of the folders, but not their records.
    ///
    /// - Throws: ``MergeError`` when a shard is missing, unfinished or of another run than the first. ``StoreError``
    ///   when a folder cannot be read or is being written.
    package init(folders paths: [String]) throws {
        var places: Set<String> = []
        for path in paths
        where !places.insert(URL(fileURLWithPath: path).resolvingSymlinksInPath().path).inserted {
            throw MergeError("\(path): is named twice")
        }
        let folders = try paths.map { try ShardFolder(path: $0) }
        guard let first = folders.first else { throw MergeError("no shard is named") }
        for folder in folders {
            if let difference = folder.difference(from: first) {
                throw MergeError(
                    "\(folder.path): is a shard of another \(first.facts.noun) than \(first.path): \(difference)"
                )
            }
        }
        var chosen: [Int: ShardFolder] = [:]
        // A finished folder replaces an unfinished one of the same shard.
        for folder in folders where folder.isFinished && chosen[folder.shard.number] == nil {
            chosen[folder.shard.number] = folder
        }
        try Self.checkAllAreThere(chosen, folders)
        let shards = chosen.values.sorted { $0.shard.number < $1.shard.number }
        let repeats = folders.filter { chosen[$0.shard.number] != $0 }
        self.shards = shards
        self.repeats = repeats
        warnings = Self.warnings(shards)
        remarks = repeats.map { folder in
            let other = chosen[folder.shard.number]?.path ?? ""
            let extent = folder.isFinished ? "" : ", in part"
            return
                "\(folder.path): holds shard \(folder.shard) as \(other) does\(extent); their records are compared"
        }
    }

    /// More faults than this are only counted.
    private static let mostFaults = 20

    private static func checkAllAreThere(_ chosen: [Int: ShardFolder], _ folders: [ShardFolder]) throws {
        guard let first = folders.first else { return }
        let unfinished = Dictionary(grouping: folders.filter { !$0.isFinished }) { $0.shard.number }
        let faults = (1...first.shard.count).filter { chosen[$0] == nil }
            .map { number -> (text: String, missing: MergeError.Missing) in
                let request = first.facts.request
                guard let folder = unfinished[number]?.max(by: { $0.doneCount < $1.doneCount }) else {
                    let shard = Shard(number: number, count: first.shard.count) ?? first.shard
                    return (
                        "shard \(shard) is missing", .init(shard: shard, folder: nil, request: request)
                    )
                }
                let missing = folder.size - folder.doneCount
                let what =
                    missing > 0
                    ? "\(missing) of its \(folder.size) trials are missing"
                    : "its latencies are not all measured"
                return (
                    "\(folder.path): shard \(folder.shard) is not finished: \(what)",
                    .init(shard: folder.shard, folder: folder.path, request: folder.facts.request)
                )
            }
        guard !faults.isEmpty else { return }
        let shown = faults.prefix(mostFaults)
        let rest = faults.count - shown.count
        // Only of an evaluation the request says everything.
        throw MergeError(
            shown.map(\.text).joined(separator: "\n")
                + (rest > 0 ? "\nand \(rest) more of \(first.shard.count) shards" : ""),
            missing: first.facts.study == nil ? shown.map(\.missing) : [])
    }
}

extension ShardSet {
    private static func warnings(_ shards: [ShardFolder]) -> [String] {
        func differing(_ what: String, _ value: (ShardFolder) -> [String]) -> String? {
            var values: [(text: String, numbers: [Int])] = []
            for shard in shards {
                for text in Set(value(shard)).sorted() {
                    if let known = values.firstIndex(where: { $0.text == text }) {
                        values[known].numbers.append(shard.shard.number)
                    } else {
                        values.append((text, [shard.shard.number]))
                    }
                }
            }
            guard values.count > 1 else { return nil }
            let parts = values.map { "\($0.text) for shards \(numberRanges($0.numbers))" }
            return "\(what): \(parts.joined(separator: "; "))."
        }
        return [
            differing(
                "Shards ran on several types of processor, so figures may differ from those of one machine "
                    + "in the last digits"
            ) { folder in folder.machines.map(processor) },
            differing("Answers to fixed queries differ between processors") {
                [$0.facts.matcher.digest]
            },
            differing("Shards ran from several commits") { [$0.facts.commit] },
            differing("Shards ran with several programs") { [$0.facts.matcher.codeDigest ?? "unknown"] },
            differing("Shards ran with several versions of libraries") { folder in
                [
                    folder.facts.toolVersions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                        .joined(separator: ", ")
                ]
            },
        ].compactMap(\.self)
    }

    private static func processor(_ machine: RunFacts.Machine) -> String {
        machine.processorType + (machine.features.map { " with \($0.joined(separator: " "))" } ?? "")
    }
}

/// Rising numbers in few words: `1–3, 5`.
package func numberRanges(_ numbers: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers {
        if let last = ranges.last, last.upperBound + 1 == number {
            ranges[ranges.count - 1] = last.lowerBound...number
        } else {
            ranges.append(number...number)
        }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
        .joined(separator: ", ")
}

extension ShardSet {
    /// Copies all records into `store`, shard by shard, and returns the merged run.
    ///
    /// Only one record is in memory at a time. After an error the store holds a part of the run.
    ///
    /// - Parameter progress: Receives the number of finished shards after each.
    /// - Throws: ``MergeError`` for a trial of another shard, or when two folders of one shard differ. ``StoreError``
    ///   when a store cannot be read or written.
    package func merge(
        into store: TrialStore, progress: EvaluationRun.Progress = { _, _, _ in }
    ) throws -> (key: TrialStore.RunKey, facts: RunFacts) {
        guard let first = shards.first else { throw MergeError("no shard is named") }
        let twins = Dictionary(grouping: repeats, by: \.shard.number)
        for (done, shard) in shards.enumerated() {
            try add(shard, to: store, as: first.key)
            for twin in twins[shard.shard.number] ?? [] {
                try compare(twin, with: shard, in: store, first.key)
            }
            progress("shards", done + 1, shards.count)
        }
        let facts = mergedFacts(first, latencyTrialCount: try store.timedTrials(of: first.key).count)
        try store.save(facts, of: first.key)
        return (first.key, facts)
    }

    private func add(_ shard: ShardFolder, to store: TrialStore, as key: TrialStore.RunKey) throws {
        let folder = try reopened(shard)
        var names: [Int: String] = [:]
        try store.add(shard.key, from: folder.store, to: key) { trial, position in
            guard shard.shard.holds(trialAt: position), position < shard.facts.trialCount else {
                throw MergeError(
                    "\(shard.path): trial \(trial) at position \(position) of "
                        + "\(shard.facts.trialCount) does not fall on shard \(shard.shard)")
            }
            if let other = names.updateValue(trial, forKey: position) {
                throw MergeError("\(shard.path): trials \(other) and \(trial) both have position \(position)")
            }
        }
    }

    private func compare(
        _ twin: ShardFolder, with shard: ShardFolder, in store: TrialStore, _ key: TrialStore.RunKey
    ) throws {
        let isStudy = shard.facts.study != nil
        try reopened(twin).store.forEach(of: .trial, in: twin.key) { row in
            let difference =
                try isStudy
                ? difference(row, from: store.content(PlainValue.self, as: .trial, of: row.trial, in: key))
                : difference(row, from: store.record(of: row.trial, in: key))
            guard let difference else { return }
            throw MergeError(
                "shard \(shard.shard) ran twice with different results: \(shard.path) and \(twin.path) have other "
                    + "\(difference) for trial \(row.trial); name only the one to use")
        }
    }

    private func difference(_ row: TrialStore.Row, from outcome: PlainValue?) throws -> String? {
        try row.content(PlainValue.self) == outcome ? nil : "outcomes"
    }

    private func difference(_ row: TrialStore.Row, from other: TrialRecord?) throws -> String? {
        let record = try row.content(TrialRecord.self)
        guard other?.withoutCircumstances != record.withoutCircumstances else { return nil }
        return other.map { $0.query?.digest == record.query?.digest ? "answers or truth" : "queries" }
            ?? "trials"
    }

    /// Opens a folder again; it must be unchanged.
    private func reopened(_ folder: ShardFolder) throws -> RunFolder {
        let opened = try RunFolder(existing: folder.path)
        guard try ShardFolder(opened) == folder else {
            throw MergeError("\(folder.path): was changed while shards were merged; merge again")
        }
        return opened
    }

    /// The facts of the merged run.
    ///
    /// Seconds of all shards are added up, except for enrolment, which each shard repeats.
    private func mergedFacts(_ first: ShardFolder, latencyTrialCount: Int) -> RunFacts {
        let all = shards.map(\.facts)
        func sum(_ value: (RunFacts) -> Double) -> Double { all.reduce(0) { $0 + value($1) } }
        var facts = first.facts
        facts.shard = nil
        facts.mergedFrom = parts
        facts.machine = commonMachine(first.facts.machine)
        facts.startedAt = all.map(\.startedAt).min() ?? ""
        facts.wallSeconds = sum(\.wallSeconds)
        facts.enrolSeconds = sum(\.enrolSeconds) / Double(all.count)
        facts.decodeSecondsTotal = sum(\.decodeSecondsTotal)
        facts.decodedAudioSeconds = sum(\.decodedAudioSeconds)
        facts.latencyTrialCount = latencyTrialCount
        let cached = all.compactMap(\.cachedAnswers)
        facts.cachedAnswers = cached.isEmpty ? nil : cached.reduce(0, +)
        let commits = Set(all.compactMap(\.cacheCommits).joined()).sorted()
        facts.cacheCommits = commits.isEmpty ? nil : commits
        facts.stageSeconds = all.compactMap(\.stageSeconds).reduce(into: [:]) { total, stages in
            total.merge(stages, uniquingKeysWith: +)
        }
        facts.stageTrialCount = all.compactMap(\.stageTrialCount).reduce(0, +)
        let costs = all.compactMap(\.cost)
        let enrolments = costs.compactMap(\.enrolProcessorSeconds)
        facts.cost?.enrolProcessorSeconds =
            enrolments.isEmpty ? nil : enrolments.reduce(0, +) / Double(enrolments.count)
        facts.cost?.peakMemoryBytes = costs.compactMap(\.peakMemoryBytes).max()
        facts.cost?.restarts = costs.reduce(0) { $0 + $1.restarts }
        facts.notes += warnings
        return facts
    }

    private var parts: [RunFacts.Part] {
        var parts: [RunFacts.Part] = []
        for shard in shards {
            let seconds = shard.facts.wallSeconds
            if let known = parts.firstIndex(where: { $0.machine == shard.facts.machine }) {
                parts[known].shards.append(shard.shard.number)
                parts[known].wallSeconds += seconds
                parts[known].longestSeconds = max(parts[known].longestSeconds, seconds)
            } else {
                parts.append(
                    .init(
                        machine: shard.facts.machine, shards: [shard.shard.number], wallSeconds: seconds,
                        longestSeconds: seconds))
            }
        }
        return parts
    }

    /// A machine that names every type of processor and has the instructions that all have.
    private func commonMachine(_ first: RunFacts.Machine) -> RunFacts.Machine {
        let machines = shards.flatMap(\.machines)
        guard machines.contains(where: { !$0.isAlike(first) }) else { return first }
        var machine = first
        machine.processor = Set(machines.map(\.processorType)).sorted().joined(separator: "; ")
        machine.revision = nil
        machine.features = machines.reduce(Set(first.features ?? [])) { $0.intersection($1.features ?? []) }
            .sorted()
        return machine
    }
}
