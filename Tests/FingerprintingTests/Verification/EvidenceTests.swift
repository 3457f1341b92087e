import AudioCore
import Fingerprinting
import Foundation
import Testing

/// What a match says of itself, against counts and fits taken from the peaks themselves.
struct EvidenceTests {
    private static let seconds = 60.0
    private static let reference = PeakMusic.signature(seed: 21, seconds: seconds, perSecond: 50)
    private static let catalog = catalog(of: reference)
    /// So many peaks that chance matches are counted in every band.
    private static let dense = PeakMusic.signature(seed: 22, seconds: seconds, perSecond: 150)

    private static func catalog(of reference: Signature) -> Catalog {
        guard let catalog = try? Catalog(references: [Reference(id: "a", signature: reference)]) else {
            preconditionFailure("no catalog")
        }
        return catalog
    }

    private func found(_ cut: PeakMusic.Cut) throws -> Match {
        try #require(try Self.catalog.match(cut.query).first)
    }

    /// The counts of each set of bands.
    private func counts(_ query: Query, _ match: Match) -> [(compared: Int, matched: Int, chance: Double)] {
        let start = (match.offsetSeconds - match.reverberationDelaySeconds) / 0.032
        let octaves = log2(1 + match.frequencySkew)
        let shifts = (0..<8).flatMap { step -> [Double] in
            let shift = 2.3 + Double(step) * 13.7 / 7
            return [-shift, shift]
        }
        var compared = BandOracle.starts.map { _ in 0 }
        var matched = compared
        var byChance = compared
        for heard in query.peaks where heard.rank < 10 {
            let time = start + (1 + match.timeSkew) * Double(heard.time) / 64
            guard time >= 0, time <= (Self.seconds / 0.032).rounded(.down) else { continue }
            let band = BandOracle.band(heard)
            compared[band] += 1
            let tolerance = 0.8 * BandOracle.bins[band] * 1.442_695 / BandOracle.bins(heard)
            let late = Self.dense.peaks.filter {
                abs(log2(Double(heard.frequency) / Double($0.frequency)) - octaves) < tolerance
            }.map { (Double($0.time) / 64 - time) / BandOracle.frames[band] }
            if late.contains(where: { abs($0) <= 0.85 }) { matched[band] += 1 }
            for shift in shifts where late.contains(where: { abs($0 - shift) <= 0.85 }) {
                byChance[band] += 1
            }
        }
        return BandOracle.sets.map { set in
            func sum(_ counts: [Int]) -> Int { set.reduce(0) { $0 + counts[$1] } }
            return (
                sum(compared), sum(matched), Double(sum(byChance)) / 16 / Double(max(sum(compared), 1))
            )
        }
    }

    @Test("Peaks compared and matched are those that a search over all peaks counts, and so is chance")
    func countsAreTheExhaustiveOnes() throws {
        let catalog = Self.catalog(of: Self.dense)
        var exact = 0
        for trial in 0..<16 {
            var change = PeakMusic.Change(kept: 0.6, extraPerSecond: 150, jitter: 10)
            change.seed = UInt64(trial)
            change.timeRatio = [1, 1.02, 1, 0.97][trial % 4]
            change.frequencyRatio = [1, 1.02, 0.96, 1][trial % 4]
            // The first and the last hang over an end of the reference.
            let start = -2 + Double(trial) * (Self.seconds - 1) / 15
            let cut = PeakMusic.cut(Self.dense, from: start, seconds: 5, change)
            let match = try #require(try catalog.match(cut.query).first)
            // The match speaks of the bands that count.
            let (compared, matched, chance) = try #require(
                counts(cut.query, match).first {
                    abs(match.comparedPeaks - $0.compared) <= 1 && abs(match.matchedPeaks - $0.matched) <= 1
                })
            let rate = Double(matched) / Double(compared)
            let evidence =
                Double(matched) * log(rate / chance)
                + Double(compared - matched) * log((1 - rate) / (1 - chance))
            #expect(chance > 0.002, "too little chance to tell")
            #expect(abs(match.peakEvidence / evidence - 1) < 0.03)
            if abs(match.peakEvidence / evidence - 1) < 1e-4 { exact += 1 }
        }
        // Rounding may count a peak at the edge of a box or not.
        #expect(exact >= 12, "\(exact) of 16 agree to 0.01 %")
    }

    @Test(
        "A query of minutes has all its peaks matched, wherever the part that voted is", arguments: [1, 0.97])
    func longQueriesAreMatchedWhole(timeRatio: Double) throws {
        let long = PeakMusic.signature(seed: 23, seconds: 400, perSecond: 25)
        var change = PeakMusic.Change()
        change.timeRatio = timeRatio
        let cut = PeakMusic.cut(long, from: 20, seconds: 300, change)
        let match = try #require(try Self.catalog(of: long).match(cut.query).first)
        #expect(match.isAccepted)
        #expect(abs(match.offsetSeconds - 20) < 0.005)
        #expect(match.comparedPeaks > 2700)
        #expect(Double(match.matchedPeaks) > 0.99 * Double(match.comparedPeaks))
        #expect(abs(match.timeSkew - (timeRatio - 1)) < 1e-4)
    }

    /// The slope and the place at the query's first frame of the least squares line through true pairs.
    private func line(_ cut: PeakMusic.Cut) -> (slope: Double, start: Double, octaves: Double) {
        // Times err by frames of the band, so those of high bands tell more of the line.
        let pairs = cut.pairs.filter { $0.query.rank < 10 }.map { pair in
            let (u, v) = (Double(pair.query.time) / 64, Double(pair.reference.time) / 64)
            return (u: u, v: v, weight: pow(BandOracle.frames[BandOracle.band(pair.query)], -2), pair: pair)
        }
        let weight = pairs.reduce(0.0) { $0 + $1.weight }
        let u = pairs.reduce(0.0) { $0 + $1.weight * $1.u } / weight
        let v = pairs.reduce(0.0) { $0 + $1.weight * $1.v } / weight
        var (covariance, variance) = (0.0, 0.0)
        for pair in pairs {
            covariance += pair.weight * (pair.u - u) * (pair.v - v)
            variance += pair.weight * (pair.u - u) * (pair.u - u)
        }
        let slope = covariance / variance
        // Peaks err by a constant number of bins of the band, so high ones tell more of the ratio.
        let weights = pairs.map {
            pow(BandOracle.bins($0.pair.query) / BandOracle.bins[BandOracle.band($0.pair.query)], 2)
        }
        let octaves =
            zip(pairs, weights).reduce(0) {
                $0 + $1.1 * log2(Double($1.0.pair.query.frequency) / Double($1.0.pair.reference.frequency))
            } / weights.reduce(0, +)
        return (slope, v - slope * u, octaves)
    }

    @Test(
        "Skew and place are those of the least squares line through the pairs that belong together",
        arguments: [(1.0, 1.0), (1.025, 1.025), (0.95, 1), (1.05, 0.98)])
    func fitIsLeastSquares(timeRatio: Double, frequencyRatio: Double) throws {
        for trial in 0..<8 {
            var change = PeakMusic.Change(timeRatio: timeRatio, frequencyRatio: frequencyRatio)
            change.jitter = 2
            change.seed = UInt64(trial)
            let cut = PeakMusic.cut(Self.reference, from: 3.3 + 5 * Double(trial), seconds: 8, change)
            let match = try found(cut)
            let line = line(cut)
            #expect(abs(match.freeTimeSkew - (line.slope - 1)) < 0.5 * match.timeSkewError)
            let skew = exp2(line.octaves) - 1
            #expect(abs(match.freeFrequencySkew - skew) < 1.2 * match.frequencySkewError)
            let offset = match.offsetSeconds - match.reverberationDelaySeconds
            if match.skewKind == .free { #expect(abs(offset - line.start * 0.032) < 0.001) }
        }
    }

    @Test("Errors stated for skew and place are about as large as the errors there are")
    func statedErrorsAreHonest() throws {
        var scaled: [[Double]] = [[], [], []]
        for trial in 0..<80 {
            var change = PeakMusic.Change(timeRatio: 1.03, frequencyRatio: 0.97, kept: 0.8)
            change.jitter = 12
            change.seed = UInt64(trial)
            let start = 1 + 0.6 * Double(trial)
            let match = try found(PeakMusic.cut(Self.reference, from: start, seconds: 4, change))
            scaled[0].append((match.freeTimeSkew - 0.03) / match.timeSkewError)
            scaled[1].append((match.freeFrequencySkew + 0.03) / match.frequencySkewError)
            // The place is known best in the middle, where `offsetErrorSeconds` is stated.
            let middle = match.offsetSeconds - match.reverberationDelaySeconds + 2 * (1 + match.timeSkew)
            scaled[2].append((middle - (start + 2 * 1.03)) / match.offsetErrorSeconds)
        }
        for errors in scaled {
            let spread = (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
            #expect(spread > 0.25 && spread < 1.5, "\(spread) stated errors")
        }
    }

    @Test("More jitter makes the stated errors larger, and a longer query makes them smaller")
    func statedErrorsFollowTheirCause() throws {
        func errors(jitter: Double, seconds: Double) throws -> (time: Double, frequency: Double) {
            var change = PeakMusic.Change()
            change.jitter = jitter
            let match = try found(PeakMusic.cut(Self.reference, from: 20, seconds: seconds, change))
            return (match.timeSkewError, match.frequencySkewError)
        }
        let (calm, shaky) = (try errors(jitter: 4, seconds: 5), try errors(jitter: 16, seconds: 5))
        #expect(shaky.time > 2 * calm.time && shaky.frequency > 1.5 * calm.frequency)
        // A slope is known in proportion to the length to the power 3/2, a mean to the power 1/2.
        let long = try errors(jitter: 4, seconds: 20)
        #expect((5...13).contains(calm.time / long.time))
        #expect((1.4...3).contains(calm.frequency / long.frequency))
    }
}
