import Fingerprinting
import Foundation
import Testing

/// Pairs of near peaks of a query laid on a reference, against a search over all pairs there are.
struct LaidPeaksTests {
    private static let reference = PeakMusic.signature(seed: 3, seconds: 40, perSecond: 45)
    private static let catalog: Catalog = {
        guard let catalog = try? Catalog(references: [Reference(id: "a", signature: reference)]) else {
            preconditionFailure("no catalog")
        }
        return catalog
    }()

    private struct Pair: Hashable {
        let query: Peak
        let reference: Peak
    }

    /// All pairs within `frames` of where they are predicted, or within `bandFrames` of the query peak's band, with how
    /// late the reference's peak is in frames.
    private func exhaustive(
        _ query: Query, offset: Double, frequencySkew: Double, timeSkew: Double, bandFrames: Double,
        frames: Double = 0
    ) -> [(pair: Pair, late: Double)] {
        let octaves = log2(1 + frequencySkew)
        let length = Double(query.peaks.count == 0 ? 0 : 1) * query.durationSeconds
        return query.peaks.filter { $0.rank < 10 }.flatMap { heard in
            Self.reference.peaks.compactMap { peak -> (pair: Pair, late: Double)? in
                let predicted = offset / 0.032 + (1 + timeSkew) * Double(heard.time) / 64
                let band = BandOracle.band(heard)
                let late = Double(peak.time) / 64 - predicted
                let difference = log2(Double(heard.frequency) / Double(peak.frequency)) - octaves
                let tolerance = 0.8 * BandOracle.bins[band] * 1.442_695 / BandOracle.bins(heard)
                let reach = frames + bandFrames * BandOracle.frames[band]
                guard length > 0, abs(late) <= reach, abs(difference) < tolerance else { return nil }
                return (Pair(query: heard, reference: peak), late)
            }
        }
    }

    @Test(
        "The pairs that agree at a place are those that a search over all pairs finds",
        arguments: [(0.0, 0.0), (0.03, 0.03), (-0.05, 0), (0, 0.04)])
    func pairsAreTheExhaustiveOnes(frequencySkew: Double, timeSkew: Double) throws {
        var change = PeakMusic.Change(timeRatio: 1 + timeSkew, frequencyRatio: 1 + frequencySkew)
        change.jitter = 12
        change.extraPerSecond = 40
        let query = PeakMusic.cut(Self.reference, from: 8.1, seconds: 12, change).query
        for offset in [8.1, 8.4, 20.7] {
            let laid = try Self.catalog.align(
                query, with: 0, offsetSeconds: offset, frequencySkew: frequencySkew, timeSkew: timeSkew)
            let peaks = query.peaks.filter { $0.rank < 10 }
            let found = Set(
                laid.pairs.map { Pair(query: peaks[$0.query], reference: laid.reference[$0.reference]) })
            let all = exhaustive(
                query, offset: offset, frequencySkew: frequencySkew, timeSkew: timeSkew, bandFrames: 0.85)
            // A pair at the very edge of the box may be rounded either way.
            let differing = found.symmetricDifference(all.map(\.pair))
            #expect(differing.count <= 1, "\(differing)")
            #expect(found.count > (offset == 8.1 ? 200 : 2))
        }
    }

    @Test("Votes beside a place are the number of pairs that say so, frame by frame")
    func votesAreCountsOfPairs() throws {
        let query = PeakMusic.cut(Self.reference, from: 11, seconds: 10, .init(extraPerSecond: 30)).query
        let laid = try Self.catalog.align(query, with: 0, offsetSeconds: 11.4, frequencySkew: 0, timeSkew: 0)
        var votes = [Int](repeating: 0, count: 2 * ExplainedAlignment.margin + 1)
        for (_, late) in exhaustive(
            query, offset: 11.4, frequencySkew: 0, timeSkew: 0, bandFrames: 0, frames: 63)
        {
            let bin = Int(late.rounded()) + ExplainedAlignment.margin
            if votes.indices.contains(bin) { votes[bin] += 1 }
        }
        let wrong = zip(laid.votes, votes).reduce(0) { $0 + abs($1.0 - $1.1) }
        #expect(laid.votes.count == votes.count && wrong <= 4, "\(wrong) votes differ")
        #expect(votes.reduce(0, +) > 300)
        // 0.4 s too late is 12.5 frames.
        let best = try #require(laid.votes.indices.max { laid.votes[$0] < laid.votes[$1] })
        #expect([-13, -12].contains(best - ExplainedAlignment.margin))
    }

    @Test("The pairs of a match are those of its own place")
    func matchedPeaksAreThoseOfThePlace() throws {
        for step in 0..<10 {
            var change = PeakMusic.Change(kept: 0.7, extraPerSecond: 30, jitter: 6)
            change.timeRatio = 1 + Double(step % 3) * 0.02
            change.frequencyRatio = change.timeRatio
            let query = PeakMusic.cut(Self.reference, from: 2.3 * Double(step), seconds: 6, change).query
            let match = try #require(try Self.catalog.match(query).first)
            let pairs = Self.catalog.matchedPeaks(of: match, in: query).map {
                Pair(query: $0.query, reference: $0.reference)
            }
            let all = exhaustive(
                query, offset: match.offsetSeconds - match.reverberationDelaySeconds,
                frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, bandFrames: 0.85)
            #expect(Set(pairs).symmetricDifference(all.map(\.pair)).count <= 1)
            #expect(Set(pairs).count == pairs.count)
        }
    }

    @Test("A match of another catalog has no pairs")
    func foreignMatchesHaveNoPairs() throws {
        let others = try Catalog(references: PeakMusic.references(3, seconds: 20))
        let query = PeakMusic.cut(others.signature(at: 2), from: 4, seconds: 5).query
        let match = try #require(try others.match(query).first)
        #expect(match.referenceIndex == 2)
        #expect(Self.catalog.matchedPeaks(of: match, in: query).isEmpty)
    }
}
