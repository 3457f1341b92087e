import AudioCore
import Corpora
import Evaluation
import Foundation
import Matchers
import SystemIO

/// Finds the parts that the episodes of a show share, and ways to distinguish the episodes.
///
/// A matcher looks up every window of every file in all others. The search follows passages along the alignments
/// found, and ends them where the waveforms begin to differ (``SharedEdge``). Then a second matcher identifies
/// queries that end shortly after each shared part.
package struct EpisodeSearch: Sendable {
    private let finder: any Matcher
    private let listener: any Matcher
    private let margin: Double
    private let memoryLimit: Int
    private let progress: @Sendable (String) -> Void

    package static let trialSeconds = 5.0
    /// The times from the end of a shared part to the end of a trial query, in seconds.
    package static let trialTails = [0.5, 1.0, 2.0]
    /// The length of the shortest reported passage, in seconds.
    private static let shortest = 3.0

    /// Takes two empty matchers.
    ///
    /// `finder` must name several references even if one fits perfectly, because each file is in the catalog that it
    /// is looked up in. `listener` identifies the trial queries; its first answer is claimed from a lead of `margin`
    /// on. `memoryLimit` is the most bytes for waveforms, at 20 kB per second of audio.
    package init(
        finder: any Matcher, listener: any Matcher, margin: Double,
        memoryLimit: Int = Int(ProcessInfo.processInfo.physicalMemory / 2),
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.finder = finder
        self.listener = listener
        self.margin = margin
        self.memoryLimit = memoryLimit
        self.progress = progress
    }

    /// Compares the audio files in `paths`, and in folders of them, with each other.
    ///
    /// - Parameter leaveOut: Called with what is passed over in a folder.
    /// - Throws: ``CorpusError`` for fewer than two files, and the errors of ``run(_:)``.
    package func run(
        filesUnder paths: [String], leavingOut leaveOut: ([FolderListing.LeftOut]) -> Void
    ) throws -> EpisodeFindings {
        let files = try EquivalenceAudit.Recording.files(
            under: paths, as: .reference, leavingOut: leaveOut)
        guard files.count >= 2 else {
            throw CorpusError(
                .unreadable,
                "\(paths.joined(separator: ", ")): \(files.isEmpty ? "no audio file" : "one audio file"); "
                    + "two or more are needed to share anything")
        }
        return try run(files)
    }

    /// - Throws: ``CorpusError`` with code `tooLarge` if they exceed the memory limit. The errors of a matcher.
    package func run(_ recordings: [EquivalenceAudit.Recording]) throws -> EpisodeFindings {
        let audit = EquivalenceAudit(matcher: finder, memoryLimit: memoryLimit, progress: progress)
        progress("enrolling \(recordings.count) files")
        let learnt = try audit.learn(recordings)
        var findings = EpisodeFindings()
        var readable: [(recording: EquivalenceAudit.Recording, waveform: CompactAudio)] = []
        for (recording, result) in zip(recordings, learnt) {
            switch result {
            case .success(let waveform): readable.append((recording, waveform))
            case .failure(let problem):
                findings.unreadable.append(.init(id: recording.id, message: problem.message))
            }
        }
        findings.episodes = readable.map {
            .init(id: $0.recording.id, durationSeconds: Self.seconds($0.waveform.count))
        }
        progress("looking up each file in all others")
        findings.passages = try passages(readable.map(\.recording.id), readable.map(\.waveform))
        findings.parts = SharedParts(findings.passages).parts
        guard !findings.parts.isEmpty else { return findings }
        progress("matching queries after \(findings.parts.count) shared parts")
        try listen(to: readable.map(\.recording), &findings)
        return findings
    }

    private func passages(_ ids: [String], _ waveforms: [CompactAudio]) throws -> [EpisodeFindings.Passage] {
        let positions = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let finder = self.finder
        let hits = try ParallelMap.map(ids.count, jobs: EquivalenceAudit.cores) { index in
            try EquivalenceAudit.hits(
                of: index, hop: EquivalenceAudit.hopSeconds * EquivalenceAudit.sampleRate, in: waveforms,
                matcher: finder, positions: positions)
        }.flatMap(\.self)
        let pairs = Dictionary(grouping: hits) { AuditPair($0.query, $0.reference) }.sorted {
            $0.key < $1.key
        }
        return try ParallelMap.map(pairs.count, jobs: EquivalenceAudit.cores) { number in
            let (pair, hits) = pairs[number]
            let waveforms = WaveformComparison(first: waveforms[pair.first], second: waveforms[pair.second])
            let shared = SharedPassages(
                hits: hits.map { PlacedHit($0, isFirstQuery: $0.query == pair.first) }, waveforms: waveforms)
            let edges = SharedEdge(waveforms: waveforms)
            let found = shared.passages.filter { ($0.prominence ?? 0) >= SharedPassages.sureProminence }.map {
                Self.passage(edges.refine($0), of: pair)
            }
            return EpisodeFindings.Passage.distinct(found, shortestSeconds: Self.shortest)
        }.flatMap(\.self)
    }

    private static func passage(
        _ passage: SharedPassages.Passage, of pair: AuditPair
    ) -> EpisodeFindings.Passage {
        let second = passage.secondRange
        return EpisodeFindings.Passage(
            first: pair.first, second: pair.second,
            firstSeconds: seconds(passage.range.lowerBound)..<seconds(passage.range.upperBound),
            secondSeconds: seconds(second.lowerBound)..<seconds(second.upperBound),
            timeSkew: passage.timeSkew,
            correlation: passage.correlation)
    }

    private static func seconds(_ samples: Int) -> Double {
        Double(samples) / Double(EquivalenceAudit.sampleRate)
    }

    /// Matches queries that end shortly after each place of each part, one file at a time.
    private func listen(
        to recordings: [EquivalenceAudit.Recording], _ findings: inout EpisodeFindings
    ) throws {
        let listener = self.listener
        let parts = findings.parts
        let margin = margin
        let jobs = listener.enrolmentJobs(of: EquivalenceAudit.cores)
        _ = try ParallelMap.map(recordings.count, jobs: jobs) {
            try listener.enrol(id: recordings[$0].id, audio: recordings[$0].load())
        }
        _ = try listener.finishEnrolment()
        let places = Dictionary(
            recordings.enumerated().map { ($1.id, $0 + 1) }, uniquingKeysWith: { first, _ in first })
        let trials = try ParallelMap.map(recordings.count, jobs: EquivalenceAudit.cores) { index in
            let audio = try recordings[index].load()
            return try parts.map { part in
                var trials: [EpisodeFindings.Trial] = []
                for place in part.places where place.episode == index {
                    for tail in Self.trialTails {
                        guard let query = audio.query(endingAt: place.seconds.upperBound + tail) else {
                            continue
                        }
                        var record = IntroRecord(
                            kind: .boundary, set: "", episodes: recordings.count, right: index + 1,
                            condition: "", lengthSeconds: query.durationSeconds, tailSeconds: tail)
                        let candidates = try listener.identify(
                            Query(name: "q\(index)", audio: query), most: max(10, recordings.count))
                        record.take(candidates) { places[$0] ?? 0 }
                        trials.append(
                            .init(episode: index, tailSeconds: tail, verdict: record.verdict(margin: margin)))
                    }
                }
                return trials
            }
        }
        for part in parts.indices { findings.parts[part].trials = trials.flatMap { $0[part] } }
    }
}

extension AudioBuffer {
    /// The ``EpisodeSearch/trialSeconds`` before a time, or fewer at the beginning; nil if the audio ends earlier.
    fileprivate func query(endingAt seconds: Double) -> AudioBuffer? {
        let end = Int(bounded: seconds * Double(sampleRate))
        guard end <= frameCount else { return nil }
        let start = max(0, end - Int(bounded: EpisodeSearch.trialSeconds * Double(sampleRate)))
        return frames(start..<end)
    }
}
