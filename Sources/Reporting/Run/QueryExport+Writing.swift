import AudioIO
import Corpora
import Evaluation
import Foundation

extension QueryExport {
    /// How queries are cut from files.
    package struct Cuts: Sendable {
        /// The chain, as a YAML list.
        package let chain: String
        package let lengthSeconds: Double
        /// How many queries are cut from each file.
        package let count: Int
        package let seed: UInt64

        package init(chain: String, lengthSeconds: Double, count: Int, seed: UInt64) {
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
    package static func write(
        _ cuts: Cuts, of inputs: [String], in library: CorpusLibrary, to folder: String
    ) throws -> String {
        var export = try QueryExport(folder: folder, corpus: nil)
        let templates = try PlanFile.chain(text: cuts.chain)
        let material = try CorpusMaterial(library: library, music: nil)
        for path in try inputs.flatMap({ try AudioFileFinder.audioFiles(under: $0) }) {
            let recording = try AudioFile.read(path)
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let trials = try Trial.cuts(
                from: path, name: name, chain: templates, lengthSeconds: cuts.lengthSeconds,
                count: cuts.count, seed: cuts.seed)
            for trial in trials { try export.add(trial, recording: recording, material: material) }
        }
        return try export.finish()
    }
}
