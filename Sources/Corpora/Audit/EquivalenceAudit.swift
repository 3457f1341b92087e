import AudioCore
import AudioIO
import Foundation
import Matchers
import SystemIO

/// Finds recordings that are the same, share a passage or repeat themselves.
///
/// A matcher looks up every window of every recording in all others. The audit compares the waveforms of all places
/// that it names, accepted or not, as one channel at 8 kHz. Windows are 5 s long. One starts every 2 s, and in noise
/// every half second.
///
/// A pair is linked when the waveforms correlate at least 0.8 over a window. If the matcher accepts the place, less
/// suffices: 0.8 over 2 s, or 0.35 in each second of at least 3 s at one constant distance. The latter is a layer
/// that both mixes hold, about as loud as what covers it. A corpus is never divided between linked recordings.
///
/// Findings for a person to judge add the passages, by a correlation that also finds layers under other sounds.
package struct EquivalenceAudit: Sendable {
    /// Two recordings that share at least one window.
    package struct Link: Hashable, Sendable {
        package var first: String
        package var second: String
        /// The first at second t is the second at second t + `offsetSeconds`.
        package var offsetSeconds: Double
        /// How many windows of the first that lie within the second were compared at this offset.
        package var comparedWindows: Int
        package var agreeingWindows: Int
        /// The best correlation seen, −1…1.
        package var coefficient: Double
        /// Whether they agree nearly throughout and not in a passage only.
        package var isSameRecording: Bool
    }

    /// Two recordings that the matcher took for the same, but whose waveforms differ.
    package struct Refuted: Hashable, Sendable {
        package var first: String
        package var second: String
        package var score: Double
        /// The best correlation seen, −1…1.
        package var coefficient: Double
    }

    package struct Findings: Sendable {
        package var windows = 0
        package var suspects = 0
        package var links: [Link] = []
        package var refuted: [Refuted] = []
        /// Everything that was found twice, with places, for a person to judge.
        package var findings: [AuditFinding] = []
        package var unreadable: [Unreadable] = []
        package var recordings = 0
        package var seconds = 0.0

        package init() {}

        /// A line of counts, then one for each pair that was linked or refuted; tab-separated.
        package var lines: [String] {
            let linked = links.map { link in
                [
                    link.isSameRecording ? "same recording" : "shared passage", link.first, link.second,
                    "offset \(link.offsetSeconds) s",
                    "\(link.agreeingWindows) of \(link.comparedWindows) windows agree",
                    "correlation \(link.coefficient)",
                ]
            }
            let different = refuted.map {
                ["different", $0.first, $0.second, "score \($0.score)", "correlation \($0.coefficient)"]
            }
            return ["\(windows.counting("window")), \(suspects.counting("pair")) suspected"]
                + (linked + different).map { $0.joined(separator: "\t") }
        }
    }

    /// The rate of the waveforms that are compared, in hertz.
    package static let sampleRate = 8000
    package static let windowSeconds = 5
    package static let hopSeconds = 2
    /// In samples.
    ///
    /// Noise holds only short passages of music, under other sounds.
    private static let noiseHop = sampleRate / 2
    /// The least correlation of each second of a layer shared under other sounds.
    package static let leastLayerCoefficient = 0.35
    package static let leastCoefficient = 0.8

    package static let cores = ProcessInfo.processInfo.activeProcessorCount

    private let matcher: any Matcher
    private let memoryLimit: Int
    private let progress: @Sendable (String, Int, Int) -> Void

    /// Prepares an audit.
    ///
    /// - Parameter matcher: Has no references yet. It should name several references even if one fits perfectly,
    ///   because the catalog holds each recording that is looked up.
    /// - Parameter memoryLimit: The most bytes for waveforms and references. The default is half of the machine's
    ///   memory.
    /// - Parameter progress: Gets the name of a stage, the steps done, and all steps.
    package init(
        matcher: any Matcher, memoryLimit: Int = Int(ProcessInfo.processInfo.physicalMemory / 2),
        progress: @escaping @Sendable (String, Int, Int) -> Void = { _, _, _ in }
    ) {
        self.matcher = matcher
        self.memoryLimit = memoryLimit
        self.progress = progress
    }

    /// Compares all recordings with each other, and each with itself.
    ///
    /// - Throws: ``CorpusError`` with code `tooLarge` when they do not fit into memory, and what the matcher throws.
    package func run(_ recordings: [Recording]) throws -> Findings {
        var findings = Findings()
        let learnt = try learn(recordings)
        findings.unreadable = learnt.unreadable
        let held = learnt.readable.map(\.recording)
        let waveforms = learnt.readable.map(\.waveform)
        findings.recordings = held.count
        findings.seconds = waveforms.reduce(0) { $0 + Double($1.count) / Double(Self.sampleRate) }
        let starts = waveforms.enumerated().map { index, waveform in
            Self.windowStarts(
                in: waveform,
                hop: held[index].part == .noise ? Self.noiseHop : Self.hopSeconds * Self.sampleRate)
        }
        let hits = try lookUp(starts, in: waveforms, ids: held.map(\.id))
        findings.windows = waveforms.map { Self.windowStarts(in: $0).count }.reduce(0, +)
        try judgePairs(hits, recordings: held, waveforms: waveforms, into: &findings)
        let repeats = try map("looking for repeats", held.count) { index in
            try RepeatFinder(waveforms[index]).repeats().map { AuditFinding($0, of: held[index]) }
        }
        findings.findings += repeats.flatMap { $0 }
        return findings
    }

    /// Maps 0 ..< `count` in parallel, and reports each step of the stage.
    package func map<T: Sendable>(
        _ stage: String, _ count: Int, jobs: Int = Self.cores, _ body: @Sendable (Int) throws -> T
    ) throws -> [T] {
        let progress = progress
        progress(stage, 0, count)
        return try ParallelMap.map(count, jobs: jobs, progress: { progress(stage, $0, count) }, body)
    }

    /// Enrols recordings, and keeps the waveforms of those that can be read.
    package func learn(_ recordings: [Recording]) throws -> (
        readable: [(recording: Recording, waveform: CompactAudio)], unreadable: [Unreadable]
    ) {
        let memory = try AuditMemory(limit: memoryLimit, durations: recordings.map(\.durationSeconds))
        let matcher = self.matcher
        let learnt = try map("enrolling", recordings.count) {
            index -> (waveform: CompactAudio?, problem: String) in
            do {
                let audio = try recordings[index].load()
                let mono = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
                let narrow = try Resampler.resample(mono, to: Self.sampleRate, quality: .fastest)
                try memory.hold(seconds: audio.durationSeconds)
                try matcher.enrol(id: recordings[index].id, audio: audio)
                return (CompactAudio(narrow.samples, sampleRate: Self.sampleRate), "")
            } catch let error as CorpusError where error.code == .tooLarge {
                throw error
            } catch {
                return (nil, "\(error)")
            }
        }
        _ = try matcher.finishEnrolment()
        var readable: [(recording: Recording, waveform: CompactAudio)] = []
        var unreadable: [Unreadable] = []
        for (recording, (waveform, problem)) in zip(recordings, learnt) {
            if let waveform {
                readable.append((recording, waveform))
            } else {
                unreadable.append(Unreadable(id: recording.id, message: problem))
            }
        }
        return (readable, unreadable)
    }

    /// Calls `body` for each pair of recordings with hits, in order.
    package func comparePairs<T: Sendable>(
        _ hits: [AuditHit], _ waveforms: [CompactAudio],
        _ body: @Sendable (AuditPair, [PlacedHit], WaveformComparison) -> T
    ) throws -> [(pair: AuditPair, result: T)] {
        let pairs = Dictionary(grouping: hits) { AuditPair($0.query, $0.reference) }
            .sorted { $0.key < $1.key }
        return try map("comparing pairs", pairs.count) { number in
            let (pair, hits) = pairs[number]
            let both = WaveformComparison(first: waveforms[pair.first], second: waveforms[pair.second])
            return (pair, body(pair, hits.map { PlacedHit($0, isFirstQuery: $0.query == pair.first) }, both))
        }
    }

    private func judgePairs(
        _ hits: [AuditHit], recordings: [Recording], waveforms: [CompactAudio], into findings: inout Findings
    ) throws {
        let verdicts = try comparePairs(hits, waveforms) { AuditVerdict(hits: $1, waveforms: $2) }
        findings.suspects = verdicts.count
        for (pair, verdict) in verdicts {
            let first = recordings[pair.first]
            let second = recordings[pair.second]
            if let offset = verdict.offsetSeconds {
                findings.links.append(
                    Link(
                        first: first.id, second: second.id, offsetSeconds: offset,
                        comparedWindows: verdict.comparedWindows, agreeingWindows: verdict.agreeingWindows,
                        coefficient: verdict.coefficient, isSameRecording: verdict.isSameRecording))
            } else if verdict.isAccepted {
                findings.refuted.append(
                    Refuted(
                        first: first.id, second: second.id, score: verdict.score,
                        coefficient: verdict.coefficient))
            }
            findings.findings += AuditFinding.all(verdict, first: first, second: second)
        }
    }

    /// Every place in other recordings that the matcher names for the windows at `starts` of each recording.
    package func lookUp(
        _ starts: [[Int]], in waveforms: [CompactAudio], ids: [String]
    ) throws -> [AuditHit] {
        let positions = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let windows = starts.enumerated().flatMap { index, starts in starts.map { (index: index, start: $0) }
        }
        let matcher = matcher
        return try map("looking up windows", windows.count) { number in
            let (index, start) = windows[number]
            let samples = waveforms[index].samples(in: start..<(start + Self.windowSeconds * Self.sampleRate))
            let query = Query(
                name: "\(index)-\(start)", audio: AudioBuffer(samples: samples, sampleRate: Self.sampleRate))
            return try matcher.identify(query).compactMap { candidate -> AuditHit? in
                guard let reference = positions[candidate.referenceID], reference != index,
                    let offset = candidate.offsetSeconds
                else { return nil }
                return AuditHit(
                    query: index, reference: reference, queryStart: start,
                    referenceStart: Int(bounded: (offset * Double(Self.sampleRate)).rounded()),
                    timeSkew: candidate.timeSkew ?? 0, frequencySkew: candidate.frequencySkew ?? 0,
                    score: candidate.score, isAccepted: candidate.isAccepted)
            }
        }.flatMap(\.self)
    }

    /// Where windows start, in samples; those without sound are left out.
    package static func windowStarts(in waveform: CompactAudio, hop: Int = hopSeconds * sampleRate) -> [Int] {
        let length = windowSeconds * sampleRate
        return stride(from: 0, through: max(0, waveform.count - length), by: hop)
            .filter { waveform.isLoud(in: $0..<($0 + length)) }
    }
}

extension CompactAudio {
    package func isLoud(in range: Range<Int>) -> Bool {
        AudioBuffer(samples: samples(in: range), sampleRate: sampleRate).meanPowerAC > 1e-6
    }
}

extension EquivalenceAudit {
    package enum Part: String, Codable, Hashable, Sendable {
        case reference
        case negative
        case noise
    }

    package struct Recording: Sendable {
        package var id: String
        package var part: Part
        package var classID: String?
        package var durationSeconds: Double?
        package var load: @Sendable () throws -> AudioBuffer

        package init(
            id: String, part: Part = .reference, classID: String? = nil, durationSeconds: Double? = nil,
            load: @escaping @Sendable () throws -> AudioBuffer
        ) {
            self.id = id
            self.part = part
            self.classID = classID
            self.durationSeconds = durationSeconds
            self.load = load
        }

        /// The audio files in `paths`, and in folders of them, by their paths.
        /// - Parameter leaveOut: Called with what is passed over in a folder.
        package static func files(
            under paths: [String], as part: Part, leavingOut leaveOut: ([FolderListing.LeftOut]) -> Void
        ) throws -> [Recording] {
            try AudioFileFinder.audioFiles(under: paths, leavingOut: leaveOut).map { path in
                Recording(id: path, part: part) { try AudioFile.read(path) }
            }
        }
    }

    package struct Unreadable: Codable, Hashable, Sendable {
        package var id: String
        package var message: String

        package init(id: String, message: String) {
            self.id = id
            self.message = message
        }
    }
}

extension Corpus {
    /// Its tracks as recordings to audit; ids begin with `prefix`.
    package func auditRecordings(prefix: String = "") -> [EquivalenceAudit.Recording] {
        tracks.map { track in
            let part: EquivalenceAudit.Part =
                switch track.role {
                case .enrolled: .reference
                case .negative: .negative
                case .noise: .noise
                }
            return EquivalenceAudit.Recording(
                id: prefix + track.id, part: part, classID: prefix + track.classID,
                durationSeconds: track.durationSeconds
            ) { try audio(of: track) }
        }
    }
}
