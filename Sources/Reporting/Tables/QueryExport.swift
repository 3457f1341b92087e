import AudioCore
import AudioIO
import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO

/// Writes queries as audio files, and the truth about them as tables.
package struct QueryExport {
    private let folder: String
    private let encoding: AudioEncoding
    private let tracks: [String: Track]
    private var records: [TrialRecord] = []
    /// The place among the records of each file that was written.
    private var written: [String: Int] = [:]
    /// How many queries each reason left out.
    private var notOffered: [String: Int] = [:]

    /// Writes into `folder`, which is made if there is none.
    ///
    /// - Parameter corpus: what trials are cut from; nil for files, each of which is its own reference.
    package init(folder: String, corpus: Corpus?) throws {
        guard let encoding = AudioEncoding("wav-float") else { preconditionFailure("no 32-bit float WAV") }
        try FileTree.createFolder(folder)
        self.folder = folder
        self.encoding = encoding
        tracks = Dictionary(
            (corpus?.tracks ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Renders one trial and writes it as 32-bit float WAV.
    ///
    /// A trial whose format does not exist at its rate is counted and not written.
    ///
    /// - Throws: ``ConfigurationError`` when another trial has a file of the same name.
    package mutating func add(_ trial: Trial, recording: (any FrameSource)?, material: any Material) throws {
        var query: RenderedQuery?
        do {
            query = try trial.render(from: recording, material: material)
        } catch let error as DegradationError where error.code == .notOffered {
            notOffered[error.description, default: 0] += 1
        }
        var record = try TrialRecord(trial, query: query, tracks: tracks)
        // The file is a new one, also for a recorded query.
        record.trial.queryFile = nil
        record.trial.queryPart = nil
        if let query {
            if let other = written[record.fileName] { throw clash(records[other], record) }
            try AudioFile.write(query.audio, to: folder + "/" + record.fileName, as: encoding)
            written[record.fileName] = records.count
        }
        records.append(record)
    }

    /// Folders become a part of a file's name, so names can collide.
    private func clash(_ first: TrialRecord, _ second: TrialRecord) -> ConfigurationError {
        let isOneTrial = first.trial.id == second.trial.id
        let names = [first, second].map { isOneTrial ? $0.trial.source : $0.trial.id }
        return ConfigurationError(
            file: folder, line: nil,
            message: "two queries have the file name \(second.fileName): \(names[0]) and \(names[1])")
    }

    /// Writes the tables of ``QueryTables`` and says what was written.
    ///
    /// - Parameter references: the ids of what is enrolled; nil where that is not known.
    /// - Throws: ``ConfigurationError`` if no query is offered.
    package func finish(references: [String]? = nil) throws -> String {
        guard !written.isEmpty || records.isEmpty else {
            throw ConfigurationError(file: folder, line: nil, message: "no query was written: \(reasons)")
        }
        // In the order of the plan, as in the tables of a run.
        let tables = QueryTables(records.sorted { $0.trial.index < $1.trial.index })
        let path = try tables.writeTruth(references: references, to: folder)
        let left = tables.leftOut
        return written.count.counting("query", "queries")
            + "\(notOffered.isEmpty ? "" : ", \(reasons)"): \(path)"
            + (left == 0
                ? ""
                : "\n\(left) of them \(left == 1 ? "is" : "are") negative only without the recording, and in no table")
    }

    private var reasons: String {
        notOffered.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) not offered, because \($0.key)" }.joined(separator: "; ")
    }
}

extension QueryExport {
    package struct Cuts: Sendable {
        package let chain: [DegradationTemplate]
        package let lengthSeconds: Double
        /// How many queries are cut from each file.
        package let count: Int
        package let seed: UInt64

        package init(chain: [DegradationTemplate], lengthSeconds: Double, count: Int, seed: UInt64) {
            self.chain = chain
            self.lengthSeconds = lengthSeconds
            self.count = count
            self.seed = seed
        }
    }

    /// Writes the queries of a plan, or one of them, and returns what was written.
    package static func write(
        _ opened: OpenedPlan, trial name: String?, to folder: String, note: (String) -> Void
    ) throws -> String {
        let (plan, corpus) = (opened.plan, opened.plan.corpus)
        var export = try QueryExport(folder: folder, corpus: corpus)
        let trials = try name.map { [try plan.requiredTrial(named: $0)] } ?? plan.trials
        let tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        note("seed \(plan.seed), \(trials.count) of \(plan.trials.count) trials")
        for (source, group) in Dictionary(grouping: trials, by: \.source).sorted(by: {
            ($0.key ?? "") < ($1.key ?? "")
        }) {
            // A recorded query is not cut from its source.
            let track = plan.recorded == nil ? source.flatMap { tracks[$0] } : nil
            let recording = try track.map { try corpus.audio(of: $0) }
            for trial in group { try export.add(trial, recording: recording, material: opened.material) }
        }
        return try export.finish(references: plan.references(leavingOut: nil).map(\.id))
    }

    /// Writes queries cut from files and folders of them, and returns what was written.
    /// - Parameter leaveOut: Called with what is passed over in a folder.
    package static func write(
        _ cuts: Cuts, of inputs: [String], in library: CorpusLibrary, to folder: String,
        note: (String) -> Void = { _ in }, leavingOut leaveOut: ([FolderListing.LeftOut]) -> Void
    ) throws -> String {
        var export = try QueryExport(folder: folder, corpus: nil)
        let material = try CorpusMaterial(library: library, music: nil)
        let paths = try AudioFileFinder.audioFiles(under: inputs, leavingOut: leaveOut)
        for (place, path) in paths.enumerated() {
            let recording = try recording(path)
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let trials = try Trial.cuts(
                from: path, name: name, chain: cuts.chain, lengthSeconds: cuts.lengthSeconds,
                count: cuts.count, firstIndex: place * cuts.count, seed: cuts.seed)
            if place == 0 { note("seed \(cuts.seed)") }
            // In order of time, so that a long recording is decoded few times.
            let placed = try trials.map { trial in
                (start: try trial.starts(in: recording).first { _ in true } ?? 0, trial: trial)
            }
            for (_, trial) in placed.sorted(by: { ($0.start, $0.trial.index) < ($1.start, $1.trial.index) }) {
                try export.add(trial, recording: recording, material: material)
            }
        }
        return try export.finish()
    }

    /// Longer recordings are decoded part by part: 32 MB, or 95 seconds of stereo at 44.1 kHz.
    private static let samplesInMemory = 1 << 23

    private static func recording(_ path: String) throws -> any FrameSource {
        try AudioFile.read(AudioFileReader(path: path), atMost: samplesInMemory) ?? AudioFileParts(path: path)
    }
}
