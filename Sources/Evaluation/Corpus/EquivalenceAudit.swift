import AudioCore
import AudioIO
import Foundation
import SignalProcessing

/// Finds recordings that are the same, or share a passage, before a corpus is divided.
///
/// A matcher looks for every window of every recording in all others; whatever it names,
/// accepted or not, is a suspect. A suspect counts when the waveforms at the named places,
/// one channel at 8 kHz, correlate at least 0.8 over the window. Where the matcher accepts the place,
/// it also counts when 2 s of it correlate as much, or when three seconds on end correlate at least
/// 0.35 at one constant distance: a layer that both mixes hold, about as loud as what covers it.
/// Windows are 5 s long, one every 2 s.
public struct EquivalenceAudit: Sendable {
    /// A recording to be looked at.
    public struct Recording: Sendable {
        /// What findings call it.
        public var id: String
        /// Decodes it.
        public var load: @Sendable () throws -> AudioBuffer

        /// Names a recording.
        public init(id: String, load: @escaping @Sendable () throws -> AudioBuffer) {
            self.id = id
            self.load = load
        }
    }

    /// Two recordings that share at least one window.
    public struct Link: Hashable, Sendable {
        /// The one that comes first in the list.
        public var first: String
        /// The other one.
        public var second: String
        /// The first at second t is the second at second t + `offsetSeconds`.
        public var offsetSeconds: Double
        /// How many windows of the first that lie within the second were compared at this offset.
        public var comparedWindows: Int
        /// In how many of them the waveforms agree.
        public var agreeingWindows: Int
        /// The best correlation seen, −1…1.
        public var coefficient: Double
        /// Whether they agree nearly throughout and not in a passage only.
        public var isSameRecording: Bool
    }

    /// Two recordings that the matcher took for the same, but whose waveforms differ.
    public struct Refuted: Hashable, Sendable {
        /// The one that comes first in the list.
        public var first: String
        /// The other one.
        public var second: String
        /// The matcher's best score for them.
        public var score: Double
        /// The best correlation seen, −1…1.
        public var coefficient: Double
    }

    /// What came out.
    public struct Findings: Sendable {
        /// How many windows were looked up.
        public var windows = 0
        /// How many pairs of recordings the matcher named at all.
        public var suspects = 0
        /// Pairs that share audio.
        public var links: [Link] = []
        /// Pairs that a matcher accepts and a waveform does not bear out.
        public var refuted: [Refuted] = []
    }

    /// The rate of the waveforms that are compared, in hertz.
    static let sampleRate = 8000
    /// The length of a window in seconds.
    static let windowSeconds = 5
    /// The distance from one window to the next in seconds.
    static let hopSeconds = 2
    /// The least correlation of each second of a layer shared under other sounds.
    static let leastLayerCoefficient = 0.35
    /// The least correlation that counts as the same sound.
    public static let leastCoefficient = 0.8

    static let cores = ProcessInfo.processInfo.activeProcessorCount

    private let matcher: any Matcher
    private let progress: @Sendable (String) -> Void

    /// Prepares an audit by a matcher that has learnt nothing yet.
    public init(matcher: any Matcher, progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.matcher = matcher
        self.progress = progress
    }

    /// Compares all recordings with each other; memory for 16 kB a second of audio is needed.
    public func run(_ recordings: [Recording]) async throws -> Findings {
        progress("learning \(recordings.count) recordings")
        let matcher = self.matcher
        let waveforms = try ParallelMap.map(recordings.count, jobs: Self.cores) { index in
            let audio = try recordings[index].load()
            try matcher.enrol(id: recordings[index].id, audio: audio)
            let mono = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
            let narrow = try Resampler.resample(mono, to: Self.sampleRate, quality: .fastest)
            return CompactAudio(narrow.samples, sampleRate: Self.sampleRate)
        }
        _ = try matcher.finishEnrolment()
        let positions = Dictionary(
            recordings.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        progress("looking each up in all others")
        let hits = try ParallelMap.map(recordings.count, jobs: Self.cores) { index in
            try Self.hits(of: index, in: waveforms, matcher: matcher, positions: positions)
        }
        return try await findings(hits: hits.flatMap { $0 }, recordings: recordings, waveforms: waveforms)
    }

    private func findings(
        hits: [AuditHit], recordings: [Recording], waveforms: [CompactAudio]
    ) async throws -> Findings {
        var findings = Findings()
        findings.windows = waveforms.map { Self.windowStarts(in: $0).count }.reduce(0, +)
        let pairs = Dictionary(grouping: hits) { AuditPair($0.query, $0.reference) }
        let keys = pairs.keys.sorted()
        findings.suspects = keys.count
        progress("comparing the waveforms of \(keys.count) suspected pairs")
        let verdicts = try ParallelMap.map(keys.count, jobs: Self.cores) { index in
            let pair = keys[index]
            return AuditVerdict(
                hits: pairs[pair] ?? [], first: waveforms[pair.first], second: waveforms[pair.second],
                isFirstQuery: { $0.query == pair.first })
        }
        for (pair, verdict) in zip(keys, verdicts) {
            let first = recordings[pair.first].id
            let second = recordings[pair.second].id
            if let offset = verdict.offsetSeconds {
                findings.links.append(
                    Link(
                        first: first, second: second, offsetSeconds: offset,
                        comparedWindows: verdict.comparedWindows, agreeingWindows: verdict.agreeingWindows,
                        coefficient: verdict.coefficient, isSameRecording: verdict.isSameRecording))
            } else if verdict.isAccepted {
                findings.refuted.append(
                    Refuted(
                        first: first, second: second, score: verdict.score, coefficient: verdict.coefficient))
            }
        }
        return findings
    }

    private static func hits(
        of index: Int, in waveforms: [CompactAudio], matcher: any Matcher, positions: [String: Int]
    ) throws -> [AuditHit] {
        var hits: [AuditHit] = []
        for start in windowStarts(in: waveforms[index]) {
            let samples = waveforms[index].samples(in: start..<(start + windowSeconds * sampleRate))
            let query = Query(
                name: "\(index)-\(start)", audio: AudioBuffer(samples: samples, sampleRate: sampleRate))
            for candidate in try matcher.identify(query) {
                guard let reference = positions[candidate.referenceID], reference != index else { continue }
                hits.append(
                    AuditHit(
                        query: index, reference: reference, queryStart: start,
                        referenceStart: Int((candidate.offsetSeconds * Double(sampleRate)).rounded()),
                        score: candidate.score, isAccepted: candidate.isAccepted))
            }
        }
        return hits
    }

    /// Where windows start, in samples; those without sound are left out.
    static func windowStarts(in waveform: CompactAudio) -> [Int] {
        let length = windowSeconds * sampleRate
        return stride(from: 0, through: max(0, waveform.count - length), by: hopSeconds * sampleRate)
            .filter { start in
                let power = AudioBuffer(
                    samples: waveform.samples(in: start..<(start + length)), sampleRate: sampleRate
                ).meanPowerAC
                return power > 1e-6
            }
    }
}
