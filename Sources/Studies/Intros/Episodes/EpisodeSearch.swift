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
    /// The parts to report.
    package struct Limits: Sendable {
        /// The shortest passage that the search finds, in seconds.
        package static let shortest = 3.0

        package var seconds: Double
        package var files: Int

        /// Reports parts of at least `seconds` in at least `files`.
        package init(seconds: Double = Self.shortest, files: Int = 2) {
            self.seconds = seconds
            self.files = files
        }

        package func contain(_ part: EpisodeFindings.Part) -> Bool {
            part.lengthSeconds >= seconds && part.episodes.count >= files
        }
    }

    private let audit: EquivalenceAudit
    private let queryMatcher: any Matcher
    private let margin: Double
    private let limits: Limits

    package static let trialSeconds = 5.0
    /// The times from the end of a shared part to the end of a trial query, in seconds.
    package static let trialTails = [0.5, 1.0, 2.0]

    /// Takes two empty matchers.
    ///
    /// `finder` must name several references even if one fits perfectly, because each file is in the catalog that it
    /// is looked up in. `listener` identifies the trial queries; its first answer is claimed from a lead of `margin`
    /// on. `memoryLimit` is the most bytes for waveforms, at 20 kB per second of audio. `progress` gets the name of a
    /// stage, the steps done, and all steps.
    package init(
        finder: any Matcher, listener: any Matcher, margin: Double, limits: Limits = Limits(),
        memoryLimit: Int = Int(ProcessInfo.processInfo.physicalMemory / 2),
        progress: @escaping @Sendable (String, Int, Int) -> Void = { _, _, _ in }
    ) {
        audit = EquivalenceAudit(matcher: finder, memoryLimit: memoryLimit, progress: progress)
        queryMatcher = listener
        self.margin = margin
        self.limits = limits
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
        let learnt = try audit.learn(recordings)
        var findings = EpisodeFindings()
        let readable = learnt.readable
        findings.unreadable = learnt.unreadable
        findings.episodes = readable.map {
            .init(id: $0.recording.id, durationSeconds: Self.seconds($0.waveform.count))
        }
        findings.passages = try passages(readable.map(\.recording.id), readable.map(\.waveform))
        findings.parts = SharedParts(findings.passages, shortestSeconds: Limits.shortest).parts
            .filter(limits.contain)
        guard !findings.parts.isEmpty else { return findings }
        try matchAfterParts(of: readable.map(\.recording), &findings)
        return findings
    }

    private func passages(_ ids: [String], _ waveforms: [CompactAudio]) throws -> [EpisodeFindings.Passage] {
        let hits = try audit.lookUp(
            waveforms.map { EquivalenceAudit.windowStarts(in: $0) }, in: waveforms, ids: ids)
        return try audit.comparePairs(hits, waveforms) { pair, hits, waveforms in
            let shared = SharedPassages(hits: hits, waveforms: waveforms)
            let edges = SharedEdge(waveforms: waveforms)
            let found = shared.passages.filter(Self.isSure).map { Self.passage(edges.refine($0), of: pair) }
            return EpisodeFindings.Passage.distinct(found, shortestSeconds: Limits.shortest)
        }.flatMap(\.result)
    }

    /// Whether the waveforms agree in a passage, and not only in a few sounds of it, as turns of a loop may.
    private static func isSure(_ passage: SharedPassages.Passage) -> Bool {
        passage.isSure && passage.correlation >= EquivalenceAudit.leastLayerCoefficient
    }

    private static func passage(
        _ passage: SharedPassages.Passage, of pair: AuditPair
    ) -> EpisodeFindings.Passage {
        let second = passage.secondRange.clamped(to: 0..<Int.max)
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
    private func matchAfterParts(
        of recordings: [EquivalenceAudit.Recording], _ findings: inout EpisodeFindings
    ) throws {
        let matcher = queryMatcher
        let parts = findings.parts
        let margin = margin
        let jobs = matcher.enrolmentJobs(of: EquivalenceAudit.cores)
        _ = try audit.map("enrolling again", recordings.count, jobs: jobs) {
            try matcher.enrol(id: recordings[$0].id, audio: recordings[$0].load())
        }
        _ = try matcher.finishEnrolment()
        let places = Dictionary(
            recordings.enumerated().map { ($1.id, $0 + 1) }, uniquingKeysWith: { first, _ in first })
        let trials = try audit.map("matching after parts", recordings.count) { index in
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
                        let candidates = try matcher.identify(
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
