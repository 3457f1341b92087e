import Degradations
import Evaluation
import Foundation

/// The folder of a study with its store of raw outcomes; one process at a time may open it.
package final class StudyFolder: Sendable {
    package let path: String
    package let store: TrialStore
    private let lock: RunLock?

    private static let storeName = "study.sqlite"

    /// Whether the folder holds studies and no evaluation.
    package static func isOne(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + storeName)
            && !FileManager.default.fileExists(atPath: path + "/" + RunFolder.storeName)
    }

    /// - Parameter isLocked: whether the caller holds the folder's lock already.
    /// - Throws: ``StoreError`` if the folder cannot be written or another process holds it.
    package init(path: String, isLocked: Bool = false) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StoreError(path: path, message: "cannot create the folder: \(error.localizedDescription)")
        }
        self.path = path
        lock = isLocked ? nil : try RunLock(folder: path)
        store = try TrialStore(path: path + "/" + Self.storeName)
    }

    /// Opens the folder for reading; nothing in it changes.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read or another process writes it.
    package init(reading path: String) throws {
        self.path = path
        lock = nil
        store = try TrialStore(copying: path + "/" + Self.storeName)
    }

    /// - Throws: ``StoreError`` if the folder holds none or several.
    package func onlyStudy() throws -> (key: TrialStore.RunKey, facts: StudyFacts) {
        let studies = try store.facts(StudyFacts.self, as: .study)
        guard let study = studies.first, studies.count == 1 else {
            throw StoreError(
                path: store.path, message: "holds \(studies.count) studies; expected one")
        }
        return study
    }

    /// - Throws: ``StoreError`` if the folder holds none or several, only a shard, or not all trials.
    package func finishedStudy() throws -> (key: TrialStore.RunKey, facts: StudyFacts) {
        let (key, facts) = try onlyStudy()
        if let shard = facts.shard {
            throw StoreError(path: path, message: "holds shard \(shard) of a study; merge all shards first")
        }
        let count = try store.names(of: .outcome, in: key).count
        guard count >= facts.trialCount else {
            throw StoreError(
                path: path,
                message: "the study is not finished: it holds \(count) of \(facts.trialCount) trials; "
                    + "run it again to finish it")
        }
        return (key, facts)
    }
}

/// The facts of a study, for writing its report again and merging its shards.
package struct StudyFacts: Codable, Hashable, Sendable {
    package var study: String
    /// Settings for its report, encoded as JSON.
    private var settings: Data
    package var origin: Provenance
    package var trialCount: Int
    /// The share of the trials that the folder holds; nil for all.
    package var shard: Shard?

    init<Subject: Study>(_ study: Subject, origin: Provenance, shard: Shard?) throws {
        self.study = Subject.name
        settings = Data(try study.settings.sortedJSON().utf8)
        self.origin = origin
        trialCount = try study.trialCount
        self.shard = shard
    }

    package func settings<Settings: Decodable>(as _: Settings.Type) throws -> Settings {
        try JSONDecoder().decode(Settings.self, from: settings)
    }

    /// The facts that the shards of one study have in common.
    fileprivate var identity: StudyFacts {
        var facts = self
        facts.shard = nil
        facts.origin = origin.withoutCircumstances
        facts.origin.request = RunRequest()
        facts.origin.toolVersions = [:]
        return facts
    }
}

extension StudyFolder {
    /// Merges the shards of one study into this folder.
    ///
    /// - Throws: ``MergeError`` if a shard is missing or unfinished, belongs to another study, or is there twice with
    ///   different outcomes.
    package func merge(_ paths: [String]) throws {
        var chosen: [Int: String] = [:]
        var first: (key: TrialStore.RunKey, facts: StudyFacts)?
        for path in paths {
            guard Self.isOne(path) else { throw MergeError("\(path): holds no study") }
            let folder = try StudyFolder(path: path)
            let (key, facts) = try folder.onlyStudy()
            guard let shard = facts.shard else {
                throw MergeError("\(path): holds a whole study, not a shard")
            }
            if let first, first.key != key || first.facts.identity != facts.identity {
                throw MergeError("\(path): is a shard of another study than \(paths[0])")
            }
            if let other = first?.facts.shard, other.count != shard.count {
                throw MergeError(
                    "\(path): is one of \(shard.count) shards, \(paths[0]) is one of \(other.count)")
            }
            first = first ?? (key, facts)
            let names = try folder.store.names(of: .outcome, in: key)
            guard names.count >= shard.size(of: facts.trialCount) else {
                throw MergeError(
                    "\(path): shard \(shard) is not finished: it holds \(names.count) of "
                        + "\(shard.size(of: facts.trialCount)) trials")
            }
            if let twin = chosen[shard.number] {
                let pairs = try zip(
                    store.contents(PlainValue.self, as: .outcome, in: key, named: names),
                    folder.store.contents(PlainValue.self, as: .outcome, in: key))
                for (one, other) in pairs where one != other {
                    throw MergeError(
                        "shard \(shard) ran twice with different results: \(twin) and \(path) have other outcomes "
                            + "for trial \(other.trial); name only the one to use")
                }
                continue
            }
            chosen[shard.number] = path
            try store.add(.outcome, of: key, from: folder.store, to: key)
        }
        guard let (key, facts) = first, let shard = facts.shard else { throw MergeError("no shard is named") }
        let missing = (1...shard.count).filter { chosen[$0] == nil }
        guard missing.isEmpty else {
            throw MergeError("shards \(numberRanges(missing)) of \(shard.count) are missing")
        }
        var whole = facts
        whole.shard = nil
        try store.save(whole, as: .study, in: key)
    }
}

extension Encodable {
    /// JSON on one line with sorted keys; numbers that are not finite become text.
    func sortedJSON() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
