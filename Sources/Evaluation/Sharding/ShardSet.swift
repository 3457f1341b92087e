import Foundation

/// The folders of all shards of one run, checked to be complete and of a kind.
package struct ShardSet: Sendable {
    /// One folder for each shard, in order.
    let shards: [ShardFolder]
    /// Further folders of the same shards, as a task leaves that ran twice.
    let repeats: [ShardFolder]
    /// What whoever reads the figures has to know: processors, sources or libraries that differ.
    package let warnings: [String]
    /// Which folders repeat others.
    package let remarks: [String]

    /// Reads what the folders say of themselves; their records are not looked at yet.
    ///
    /// - Throws: ``MergeError`` when a shard is missing or unfinished, or is of another run than the first;
    ///   ``StoreError`` when a folder cannot be read or is being written.
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
                    "\(folder.path): is a shard of another run than \(first.path): \(difference)")
            }
        }
        var chosen: [Int: ShardFolder] = [:]
        // A finished folder stands for a shard, wherever an unfinished one is named.
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
            let extent = folder.isFinished ? "" : ", as far as it goes"
            return "\(folder.path): holds shard \(folder.shard) as \(other) does\(extent); compared with that"
        }
    }

    /// Further faults than this are only counted.
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
        throw MergeError(
            shown.map(\.text).joined(separator: "\n")
                + (rest > 0 ? "\nand \(rest) more of \(first.shard.count) shards" : ""),
            missing: shown.map(\.missing))
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
                "Shards were run on several types of processor, so that figures may differ from one machine's "
                    + "in the last digits"
            ) { folder in folder.machines.map(processor) },
            differing("Matchers answered fixed queries otherwise, as their processors differ") {
                [$0.facts.matcher.digest]
            },
            differing("Shards were run from several commits") { [$0.facts.commit] },
            differing("Shards were run with several versions of libraries") { folder in
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
