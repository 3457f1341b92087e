import Fingerprinting
import Foundation
import Testing

/// Which kind of skew a fit is taken for, and what follows from it.
struct SkewKindTests {
    private static let reference = PeakMusic.signature(seed: 33, seconds: 40)
    private static let catalog: Catalog = {
        guard let catalog = try? Catalog(references: [Reference(id: "a", signature: reference)]) else {
            preconditionFailure("no catalog")
        }
        return catalog
    }()

    /// Matches over a grid of skews, fine near none, where kinds are hard to tell.
    private static let matches: [Match] = {
        let skews = [-0.055, -0.02, -0.004, -0.001, -0.0003, 0, 0.0002, 0.0006, 0.002, 0.01, 0.05]
        return skews.flatMap { frequency in
            skews.compactMap { time -> Match? in
                var change = PeakMusic.Change(timeRatio: 1 + time, frequencyRatio: 1 + frequency)
                change.jitter = 6
                let query = PeakMusic.cut(reference, from: 9.7, seconds: 6, change).query
                return try? catalog.match(query).first
            }
        }
    }()

    private func density(_ value: Double, _ sigma: Double) -> Double {
        exp(-0.5 * value * value / (sigma * sigma)) / (sigma * (2 * .pi).squareRoot())
    }

    /// The prior densities of all kinds at a free fit, where no error is taken for smaller than a floor.
    private func densities(_ match: Match, frequencyFloor: Double, timeFloor: Double) -> [SkewKind: Double] {
        let x = log2(1 + match.freeFrequencySkew)
        let y = log2(1 + match.freeTimeSkew)
        let sigmaX = max(match.frequencySkewError, frequencyFloor) / log(2)
        let sigmaY = max(match.timeSkewError, timeFloor) / log(2)
        let width = 2 * log2(1.055)
        return [
            .identity: 0.60 * density(x, sigmaX) * density(y, sigmaY),
            .speed: 0.22 * density(y - x, (sigmaX * sigmaX + sigmaY * sigmaY).squareRoot()) / width,
            .pitch: 0.10 * density(y, sigmaY) / width, .tempo: 0.07 * density(x, sigmaX) / width,
            .free: 0.01 / (width * width),
        ]
    }

    @Test("The kind is the one with the highest prior density at the free fit")
    func kindIsTheMostProbable() {
        var kinds: [SkewKind: Int] = [:]
        for match in Self.matches {
            let densities = densities(match, frequencyFloor: 0.0001, timeFloor: 0.0001)
            let own = densities[match.skewKind] ?? 0
            // Stated skews are rounded to single precision on the way.
            #expect(densities.values.allSatisfy { $0 <= own * 1.001 })
            kinds[match.skewKind, default: 0] += 1
        }
        #expect(Self.matches.count == 121 && kinds.count == 5, "not all kinds were seen: \(kinds)")
    }

    @Test("The skews reported are what the kind says, and else the free ones")
    func skewsFollowFromTheKind() {
        for match in Self.matches {
            let free = (match.freeFrequencySkew, match.freeTimeSkew)
            switch match.skewKind {
            case .identity: #expect(match.frequencySkew == 0 && match.timeSkew == 0)
            case .pitch: #expect(match.timeSkew == 0 && abs(match.frequencySkew - free.0) < 1e-7)
            case .tempo: #expect(match.frequencySkew == 0 && abs(match.timeSkew - free.1) < 1e-7)
            case .free:
                #expect(abs(match.frequencySkew - free.0) < 1e-7 && abs(match.timeSkew - free.1) < 1e-7)
            case .speed:
                #expect(match.frequencySkew == match.timeSkew)
                let range = min(free.0, free.1) - 1e-7...max(free.0, free.1) + 1e-7
                #expect(range.contains(match.timeSkew))
                // It lies nearer to the one that is known better.
                let isTimeKnownBetter = match.timeSkewError < match.frequencySkewError
                let nearer = abs(match.timeSkew - free.1) < abs(match.timeSkew - free.0)
                if free.0 != free.1 { #expect(nearer == isTimeKnownBetter) }
            }
        }
    }

    @Test("Clear skews are called by their names")
    func clearSkewsAreNamed() throws {
        for percent in [-5.0, -2, 2, 5] {
            for (kind, time, frequency) in [
                (SkewKind.speed, percent, percent), (.pitch, 0, percent), (.tempo, percent, 0),
                (.free, percent, -0.7 * percent), (.identity, 0, 0),
            ] {
                let change = PeakMusic.Change(
                    timeRatio: 1 + time / 100, frequencyRatio: 1 + frequency / 100, extraPerSecond: 10)
                let query = PeakMusic.cut(Self.reference, from: 14, seconds: 6, change).query
                let match = try #require(try Self.catalog.match(query).first)
                #expect(match.skewKind == kind, "\(percent) %")
            }
        }
    }

    @Test("A skew that recordings seldom have costs score")
    func unlikelySkewsCostScore() throws {
        func score(_ time: Double, _ frequency: Double) throws -> Double {
            let change = PeakMusic.Change(timeRatio: time, frequencyRatio: frequency)
            let query = PeakMusic.cut(Self.reference, from: 14, seconds: 6, change).query
            return try #require(try Self.catalog.match(query).first).score
        }
        let (none, speed, free) = (try score(1, 1), try score(1.03, 1.03), try score(1.03, 0.98))
        #expect(none > speed && speed > free)
    }
}
