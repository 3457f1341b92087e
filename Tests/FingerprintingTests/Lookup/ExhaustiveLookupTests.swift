import AudioCore
import Fingerprinting
import Foundation
import Testing

/// The look-up by pairs and votes against a search that tries every place of every reference.
struct ExhaustiveLookupTests {
    private static let references = PeakMusic.references(8, seconds: 45)
    private static let catalog: Catalog = {
        guard let catalog = try? Catalog(references: references) else { preconditionFailure("no catalog") }
        return catalog
    }()

    /// Finds the place where most query peaks have a reference peak of their frequency at their time.
    ///
    /// - Returns: The best place, its count of agreeing peaks, and the best count of any other reference.
    private func exhaustive(_ query: Signature, timeRatio: Double, frequencyRatio: Double) -> (
        reference: Int, seconds: Double, count: Int, second: Int
    ) {
        var best: [(count: Int, seconds: Double)] = []
        for reference in Self.references {
            var counts: [Int: Int] = [:]
            for heard in query.peaks {
                let frequency = Double(heard.frequency) / frequencyRatio
                for peak in reference.signature.peaks where abs(Double(peak.frequency) - frequency) < 24 {
                    let lag = (Double(peak.time) - Double(heard.time) * timeRatio) / 64
                    counts[Int(lag.rounded(.down)), default: 0] += 1
                }
            }
            // Agreement may be split between two neighbouring frames.
            let places = counts.map { lag, count in (count: count + counts[lag + 1, default: 0], lag: lag) }
            let top = places.max { ($0.count, -$0.lag) < ($1.count, -$1.lag) }
            best.append((top?.count ?? 0, Double((top?.lag ?? 0) + 1) * 0.032))
        }
        let order = best.indices.sorted { best[$0].count > best[$1].count }
        return (order[0], best[order[0]].seconds, best[order[0]].count, best[order[1]].count)
    }

    @Test(
        "The place found is the one at which most peaks agree, whatever was added, left out or skewed",
        arguments: [(1.0, 1.0), (1.03, 1.03), (0.96, 1), (1, 1.05), (0.955, 0.955)])
    func placeIsTheExhaustiveOne(timeRatio: Double, frequencyRatio: Double) throws {
        var generator = SeededGenerator(seed: 11, "places \(timeRatio) \(frequencyRatio)")
        var told = 0
        for trial in 0..<12 {
            let reference = generator.index(below: Self.references.count)
            let start = generator.uniform(in: 1...38)
            var change = PeakMusic.Change(timeRatio: timeRatio, frequencyRatio: frequencyRatio)
            change.kept = generator.uniform(in: 0.45...1)
            change.extraPerSecond = generator.uniform(in: 0...30)
            change.jitter = 4
            change.seed = UInt64(trial)
            let cut = PeakMusic.cut(Self.references[reference].signature, from: start, seconds: 6, change)
            let truth = exhaustive(cut.signature, timeRatio: timeRatio, frequencyRatio: frequencyRatio)
            guard truth.count > 2 * truth.second else { continue }
            told += 1
            let match = try #require(try Self.catalog.match(cut.query).first)
            #expect(match.referenceIndex == truth.reference && truth.reference == reference)
            #expect(abs(match.offsetSeconds - truth.seconds) < 0.05)
            #expect(abs(match.offsetSeconds - start) < 0.01)
        }
        #expect(told >= 10, "too few queries that can be told")
    }

    @Test("Every place of a reference is found, from its first second to its last")
    func everyPlaceIsFound() throws {
        let reference = Self.references[3].signature
        for step in 0..<200 {
            let start = -2.5 + Double(step) * 0.2173
            let match = try #require(
                try Self.catalog.match(PeakMusic.cut(reference, from: start, seconds: 5).query).first)
            #expect(match.referenceIndex == 3 && match.isAccepted, "from \(start)")
            #expect(abs(match.offsetSeconds - start) < 0.001, "from \(start)")
        }
    }

    @Test("No skew within six percent falls between the ranges of skew that votes are counted in")
    func everySkewIsFound() throws {
        let reference = Self.references[5].signature
        for step in -60...60 {
            let ratio = 1 + Double(step) / 1000
            var change = PeakMusic.Change(timeRatio: ratio, frequencyRatio: ratio)
            change.kept = 0.8
            change.extraPerSecond = 10
            let cut = PeakMusic.cut(reference, from: 20, seconds: 5, change)
            let match = try #require(try Self.catalog.match(cut.query).first)
            #expect(match.referenceIndex == 5 && match.isAccepted, "\(ratio)")
            #expect(abs(match.freeFrequencySkew - (ratio - 1)) < 0.0003, "\(ratio)")
        }
    }

    @Test("A query of the end of one reference and the beginning of the next names both, each at its place")
    func neighboursAreToldApart() throws {
        for place in 0..<7 {
            let (first, second) = (Self.references[place].signature, Self.references[place + 1].signature)
            let head = PeakMusic.cut(first, from: 41, seconds: 8).signature.peaks
            let tail = PeakMusic.cut(second, from: -4, seconds: 8).signature.peaks
            let both = Signature(
                peaks: PeakMusic.ordered(head + tail), frameCount: 64_000, sampleRate: 8000, keptRanks: 16,
                channelsCancel: false, hasHeights: true, analysisIdentity: first.analysisIdentity)
            let matches = try Self.catalog.match(Query(both))
            let offsets = Dictionary(
                uniqueKeysWithValues: matches.map { ($0.referenceIndex, $0.offsetSeconds) })
            #expect(abs((offsets[place] ?? 0) - 41) < 0.005)
            #expect(abs((offsets[place + 1] ?? 0) + 4) < 0.005)
        }
    }

    /// The table of votes is counted in stretches of 8192 cells: 35 minutes.
    @Test("No vote is lost where the table of votes is counted in parts", arguments: [8192.0, 16_384])
    func seamsOfTheTableLoseNothing(seam: Double) throws {
        let long = PeakMusic.signature(seed: 50, seconds: 4400, perSecond: 12)
        let cell = 8 * 0.032
        // The reference starts at frame 272, and a query votes for its middle.
        let place = seam * cell - 272 * 0.032 - 2.5
        // A copy with fewer peaks: it has more votes than half of those that the reference has.
        let copy = PeakMusic.cut(long, from: place - 10, seconds: 25, .init(kept: 0.85)).signature
        let decoy = Signature(
            peaks: copy.peaks.map { Peak(time: $0.time, frequency: $0.frequency, rank: $0.rank) },
            frameCount: copy.frameCount, sampleRate: 8000, keptRanks: 3, channelsCancel: false,
            analysisIdentity: copy.analysisIdentity)
        // Only the place with most votes is checked.
        var settings = Settings()
        settings.lookup.quickCandidates = 1
        settings.lookup.mostQuickCandidates = 1
        let catalog = try Catalog(
            references: [Reference(id: "long", signature: long), Reference(id: "decoy", signature: decoy)],
            settings: settings)
        for step in -16...16 {
            let start = place + Double(step) * cell / 8
            let query = PeakMusic.cut(long, from: start, seconds: 5).query
            let match = try #require(try catalog.match(query).first)
            #expect(match.referenceID == "long" && abs(match.offsetSeconds - start) < 0.001, "\(start)")
        }
    }

    @Test("Random peaks are accepted nowhere, however many there are")
    func chanceIsNotAccepted() throws {
        for seed in 1000..<1030 as Range<UInt64> {
            let stranger = PeakMusic.signature(seed: seed, seconds: 10, perSecond: seed % 2 == 0 ? 20 : 60)
            let query = PeakMusic.cut(stranger, from: 0, seconds: 10).query
            #expect(try Self.catalog.match(query).allSatisfy { !$0.isAccepted })
        }
    }

    @Test("Repeats of a passage within a reference are all given, the best and its alternatives")
    func repeatsAreAllGiven() throws {
        let phrase = PeakMusic.signature(seed: 70, seconds: 6)
        let starts = [3.0, 14.5, 29.25, 37.125]
        let peaks = starts.flatMap { start in
            phrase.peaks.map {
                Peak(
                    time: $0.time + UInt32(start * PeakMusic.unitsPerSecond), frequency: $0.frequency,
                    rank: $0.rank)
            }
        }
        let loop = Signature(
            peaks: PeakMusic.ordered(peaks), frameCount: 400_000, sampleRate: 8000, keptRanks: 3,
            channelsCancel: false, analysisIdentity: phrase.analysisIdentity)
        let catalog = try Catalog(references: [Reference(id: "loop", signature: loop)] + Self.references)
        let match = try #require(try catalog.match(PeakMusic.cut(phrase, from: 0.5, seconds: 5).query).first)
        #expect(match.referenceID == "loop")
        let places = ([match.offsetSeconds] + match.alternatives.map(\.offsetSeconds)).sorted()
        #expect(places.count == starts.count)
        for (place, start) in zip(places, starts) { #expect(abs(place - start - 0.5) < 0.001) }
    }

    @Test("The order in which references were added changes no score and no place")
    func orderChangesNothing() throws {
        let reversed = try Catalog(references: Self.references.reversed())
        for place in 0..<8 {
            var change = PeakMusic.Change(
                timeRatio: 1.02, frequencyRatio: 1.02, kept: 0.7, extraPerSecond: 20)
            change.seed = UInt64(place)
            let query = PeakMusic.cut(Self.references[place].signature, from: 17.3, seconds: 5, change).query
            let one = try #require(try Self.catalog.match(query).first)
            let other = try #require(try reversed.match(query).first)
            #expect(one.referenceID == other.referenceID && one.referenceIndex == 7 - other.referenceIndex)
            #expect(abs(one.offsetSeconds - other.offsetSeconds) < 1e-4)
            #expect(abs(one.score - other.score) < 0.05)
        }
    }

    @Test("More references around it do not change where a query is found")
    func biggerCatalogsFindTheSame() throws {
        let others = (100..<160).map {
            Reference(id: "other \($0)", signature: PeakMusic.signature(seed: UInt64($0), seconds: 60))
        }
        let large = try Catalog(references: others + Self.references)
        for place in 0..<8 {
            var change = PeakMusic.Change(
                timeRatio: 0.97, frequencyRatio: 0.97, kept: 0.6, extraPerSecond: 25)
            change.seed = UInt64(place)
            let query = PeakMusic.cut(Self.references[place].signature, from: 12.3, seconds: 6, change).query
            let small = try #require(try Self.catalog.match(query).first)
            let match = try #require(try large.match(query).first)
            #expect(match.referenceID == small.referenceID && match.isAccepted)
            #expect(abs(match.offsetSeconds - small.offsetSeconds) < 0.002)
        }
    }
}
