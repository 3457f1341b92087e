import AudioCore
import AudioIO
import Corpora
import Foundation
import Matchers

/// Wrong answers of all contestants, compared with their queries' sources by waveform.
///
/// One matcher finds the classes of a corpus, see ``EquivalenceAudit``. Shared audio that it misses would count
/// against every other matcher that finds it. So the accepted answers that were judged wrong are pooled. Each pair of recordings
/// is compared at up to ``mostPlaces`` places, those with the highest scores of any contestant. An answer without a position
/// names no place to compare.
package struct PooledAnswers: Sendable {
    /// Two recordings of different classes whose waveforms agree at a named place.
    package struct Finding: Hashable, Sendable {
        package let source: String
        package let reference: String
        package let sourceSeconds: Double
        package let referenceSeconds: Double
        /// 0.8 or more, as for ``EquivalenceAudit``.
        package let correlation: Double
    }

    /// The pairs of recordings that were compared.
    package let pairs: Int
    package let findings: [Finding]

    private static let mostPlaces = 3
    /// Shorter queries are compared over this length, because short pieces of music agree by chance.
    private static let leastSeconds = 2.0
    /// Matchers may be off by this much.
    private static let reachSeconds = 0.5

    private struct Pair: Hashable {
        let source: String
        let reference: String
    }

    private struct Place {
        let sourceSeconds: Double
        let referenceSeconds: Double
        let lengthSeconds: Double
        let score: Double
    }

    /// Compares the wrong answers in `records`, those of all contestants one after the other.
    ///
    /// - Throws: The error of a recording that cannot be decoded.
    package init(_ records: some Sequence<TrialRecord>, of corpus: Corpus, jobs: Int) throws {
        let tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        var places: [Pair: [Place]] = [:]
        for record in records {
            let judged = JudgedTrial(record, threshold: nil)
            guard let source = tracks[record.trial.source], source.copy == nil,
                let start = record.sourceStartSeconds, let end = record.sourceEndSeconds
            else { continue }
            for answer in judged.accepted
            where !record.truthReferences.contains(answer.referenceID) && tracks[answer.referenceID] != nil {
                guard let answered = answer.offsetSeconds else { continue }
                places[Pair(source: record.trial.source, reference: answer.referenceID), default: []].append(
                    Place(
                        sourceSeconds: start, referenceSeconds: answered,
                        lengthSeconds: max(Self.leastSeconds, end - start), score: answer.score))
            }
        }
        let names = Set(places.keys.flatMap { [$0.source, $0.reference] }).sorted()
        let decoded = try ParallelMap.map(names.count, jobs: jobs) { number -> CompactAudio in
            guard let track = tracks[names[number]] else { return CompactAudio([], sampleRate: 1) }
            let audio = try corpus.audio(of: track)
            let mono = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
            let narrow = try Resampler.resample(mono, to: EquivalenceAudit.sampleRate, quality: .fastest)
            return CompactAudio(narrow.samples, sampleRate: EquivalenceAudit.sampleRate)
        }
        let waveforms = Dictionary(uniqueKeysWithValues: zip(names, decoded))
        pairs = places.count
        findings = places.compactMap { pair, places -> Finding? in
            guard let first = waveforms[pair.source], let second = waveforms[pair.reference] else {
                return nil
            }
            let comparison = WaveformComparison(first: first, second: second)
            let best = places.sorted { $0.score > $1.score }.prefix(Self.mostPlaces)
                .map { Self.compare($0, of: pair, comparison) }.max { $0.correlation < $1.correlation }
            return best.flatMap { $0.correlation >= EquivalenceAudit.leastCoefficient ? $0 : nil }
        }.sorted { ($0.source, $0.reference) < ($1.source, $1.reference) }
    }

    private static func compare(_ place: Place, of pair: Pair, _ waveforms: WaveformComparison) -> Finding {
        func frames(_ seconds: Double) -> Int {
            let frames = (seconds * Double(EquivalenceAudit.sampleRate)).rounded()
            // An answer may be any number; a place outside both recordings compares nothing.
            return Int(min(max(frames, -1e9), 1e9))
        }
        let start = frames(place.sourceSeconds)
        let found = waveforms.compare(
            start: start, distance: frames(place.referenceSeconds) - start,
            length: frames(place.lengthSeconds), maxLag: frames(reachSeconds))
        return Finding(
            source: pair.source, reference: pair.reference, sourceSeconds: place.sourceSeconds,
            referenceSeconds: place.referenceSeconds, correlation: found.coefficient)
    }
}
