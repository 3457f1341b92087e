import AudioCore
import AudioIO
import CReference
import Fingerprinting
import Foundation
import TestSupport

/// The cost of matching a query relative to random reads of the catalog's size of memory.
///
/// A lookup by pairs of peaks must read at least one key and one posting list for each pair of the query. The yardstick
/// is that number of reads: in turn, where each waits for the last, and at once.
enum LookupRows {
    /// A query of five seconds.
    private struct Probe {
        let name: String
        let query: Query
    }

    /// Measures on a catalog of `hours` of songs by formula.
    static func measure(songHours hours: Double, repetitions: Int) throws -> [Row] {
        let songs = (0..<max(2, Int(hours * 60))).map { ScoreSong(seed: UInt64(1000 + $0), seconds: 60) }
        let signatures = try ParallelMap.map(songs.count, jobs: 2) { place in
            try SignatureExtractor.signature(of: songs[place].render(sampleRate: 11_025))
        }
        let references = signatures.enumerated().map { Reference(id: "song \($0)", signature: $1) }
        let stranger = ScoreSong(seed: 1, seconds: 5)
        return try measure(
            Catalog(references: references), repetitions: repetitions,
            probes: [
                Probe(name: "found", query: Query(songs[1].render(from: 20, seconds: 5))),
                Probe(
                    name: "skewed",
                    query: Query(
                        songs[1].render(from: 20, seconds: 5, timeRatio: 1.03, frequencyRatio: 1.03))),
                Probe(name: "negative", query: Query(stranger.render())),
            ])
    }

    /// Measures on a catalog of all files of a folder except the last, from which the negative query is cut.
    static func measure(filesIn folder: String, repetitions: Int) throws -> [Row] {
        var sources = try ReferenceSource.find([folder], naming: .relativePath)
        guard sources.count >= 2, let last = sources.popLast() else { return [] }
        let catalog = try Catalog(references: CatalogBuilder(jobs: 2).build(sources).references)
        let known = try excerpt(of: sources[0].path)
        let faster = try Resampler.resample(known, to: Int(Double(known.sampleRate) / 1.03))
        let skewed = AudioBuffer(
            samples: faster.samples, sampleRate: known.sampleRate, channelCount: known.channelCount)
        return try measure(
            catalog, repetitions: repetitions,
            probes: [
                Probe(name: "found", query: Query(known)), Probe(name: "skewed", query: Query(skewed)),
                Probe(name: "negative", query: Query(excerpt(of: last.path))),
            ])
    }

    /// Five seconds of a file, from its middle.
    private static func excerpt(of path: String) throws -> AudioBuffer {
        let audio = try AudioFile.read(path)
        let start = audio.frameCount / 2
        return audio.frames(start..<min(audio.frameCount, start + 5 * audio.sampleRate))
    }

    private static func measure(_ catalog: Catalog, repetitions: Int, probes: [Probe]) throws -> [Row] {
        let reads = probes.map { 2 * pairCount(of: $0.query, catalog.settings) }
        // As many words as fit the catalog's bytes: rounded up to a power of 2.
        var words = 1
        while words * 8 < catalog.indexBytes { words *= 2 }
        var generator = SeededGenerator(seed: 7)
        let memory = (0..<words).map { _ in generator.next() }
        var race = Race()
        for (probe, reads) in zip(probes, reads) {
            race.add(probe.name) { _ = try catalog.match(probe.query) }
            race.add(probe.name + ", reads in turn") {
                _ = memory.withUnsafeBufferPointer {
                    reference_dependent_reads($0.baseAddress, words, reads)
                }
            }
            race.add(probe.name + ", reads at once") {
                _ = memory.withUnsafeBufferPointer {
                    reference_independent_reads($0.baseAddress, words, reads)
                }
            }
        }
        let best = try race.run(repetitions: max(3, repetitions))
        return zip(probes, reads).flatMap { probe, reads -> [Row] in
            let cost = best[probe.name] ?? .nan
            let name = "look-up, \(probe.name), in \(catalog.indexBytes >> 20) MiB"
            return ["in turn", "at once"].map { manner in
                let yardstick = best["\(probe.name), reads \(manner)"] ?? .nan
                return Row(
                    name: name, cost: cost * 1e3, unit: "ms", ratio: cost / yardstick,
                    relativeTo: "\(reads) random reads \(manner)")
            }
        }
    }

    /// The number of pairs of peaks that a query looks up without skew.
    private static func pairCount(of query: Query, _ settings: Settings) -> Int {
        let peaks = query.peaks
        var count = 0
        for (place, anchor) in peaks.enumerated() {
            let pairs = peaks[(place + 1)...].prefix { other in
                Int(other.time - anchor.time) <= 64 * settings.index.longestFrames
            }.count { other in
                let octaves = abs(log2(other.frequencyHertz / max(anchor.frequencyHertz, 1)))
                return other.time > anchor.time + 32 && octaves <= Double(settings.index.widestOctaves)
            }
            count += min(pairs, settings.index.queryPairs)
        }
        return max(1, count)
    }
}
