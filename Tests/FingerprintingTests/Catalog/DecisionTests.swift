import Fingerprinting
import Testing

/// Which of several references that a query fits is named first.
struct DecisionTests {
    private static let original = PeakMusic.signature(seed: 400, seconds: 30)

    /// The original at another speed, as a reference.
    private func copy(_ ratio: Double) -> Reference {
        let signature = PeakMusic.cut(
            Self.original, from: 0, seconds: 30 / ratio, .init(timeRatio: ratio, frequencyRatio: ratio)
        ).signature
        return Reference(
            id: "\(ratio)",
            signature: Signature(
                peaks: signature.peaks.filter { $0.rank < 3 }.map {
                    Peak(time: $0.time, frequency: $0.frequency, rank: $0.rank)
                }, frameCount: signature.frameCount, sampleRate: 8000, keptRanks: 3, channelsCancel: false,
                analysisIdentity: signature.analysisIdentity))
    }

    /// Copies within half a percent are looked for in any case; a perfect match ends the search for others.
    @Test(
        "Of copies at several speeds the one that needs no skew comes first, in whatever order they were added"
    )
    func copiesAreToldBySpeed() throws {
        let ratios = [0.97, 0.997, 1, 1.003, 1.03]
        for order in [ratios, Array(ratios.reversed()), [1.003, 0.97, 1, 1.03, 0.997]] {
            let catalog = try Catalog(references: order.map(copy))
            for ratio in ratios {
                let query = PeakMusic.cut(
                    Self.original, from: 8, seconds: 6,
                    .init(timeRatio: ratio, frequencyRatio: ratio, kept: 0.8, extraPerSecond: 10)
                ).query
                let matches = try catalog.match(query)
                #expect(matches.first?.referenceID == "\(ratio)")
                let near = ratios.filter { abs($0 / ratio - 1) < 0.004 }.map { "\($0)" }
                #expect(Set(matches.filter(\.isAccepted).map(\.referenceID)).isSuperset(of: near))
            }
        }
    }

    @Test("Exact copies come in the order in which they were added")
    func exactCopiesKeepTheirOrder() throws {
        let catalog = try Catalog(
            references: ["c", "a", "b"].map { Reference(id: $0, signature: Self.original) })
        let matches = try catalog.match(PeakMusic.cut(Self.original, from: 12, seconds: 5).query)
        #expect(matches.map(\.referenceID) == ["c", "a", "b"])
        #expect(Set(matches.map(\.score)).count == 1 && Set(matches.map(\.offsetSeconds)).count == 1)
    }

    @Test("Asked for more, the first answer has no logLikelihoodDeficit and the others state theirs")
    func deficitsAreStated() throws {
        let catalog = try Catalog(references: PeakMusic.references(12, seconds: 20) + [copy(1), copy(1.002)])
        let query = PeakMusic.cut(Self.original, from: 5, seconds: 6, .init(extraPerSecond: 40)).query
        #expect(try catalog.match(query).allSatisfy { $0.logLikelihoodDeficit == nil })
        let matches = try catalog.match(query, most: 14)
        #expect(matches.first?.logLikelihoodDeficit == nil && matches.first?.referenceID == "1.0")
        #expect(matches.dropFirst().allSatisfy { $0.logLikelihoodDeficit != nil })
        // What shares nothing with the query has more against it than its copy.
        let copied = try #require(matches.first { $0.referenceID == "1.002" }?.logLikelihoodDeficit)
        for match in matches.dropFirst() where match.referenceID != "1.002" {
            #expect((match.logLikelihoodDeficit ?? 0) > copied && !match.isAccepted)
        }
    }

    @Test("A reference that stops fitting has more against it the longer the query goes on")
    func deficitsGrow() throws {
        // The same beginning, and another end.
        let head = Self.original.slice(fromSeconds: 0, durationSeconds: 10).peaks
        let tail = PeakMusic.signature(seed: 401, seconds: 20).peaks.map {
            Peak(time: $0.time + 20_000, frequency: $0.frequency, rank: $0.rank)
        }
        let other = Reference(
            id: "other",
            signature: Signature(
                peaks: head + tail, frameCount: 240_000, sampleRate: 8000, keptRanks: 3,
                channelsCancel: false,
                analysisIdentity: Self.original.analysisIdentity))
        let catalog = try Catalog(references: [other, Reference(id: "right", signature: Self.original)])
        let deficits = try [4.0, 6, 8, 10].map { seconds in
            let query = PeakMusic.cut(Self.original, from: 5, seconds: seconds).query
            let matches = try catalog.match(query, most: 4)
            #expect(matches.count == 2)
            if seconds > 5.5 { #expect(matches.first?.referenceID == "right") }
            return matches.last?.logLikelihoodDeficit ?? 0
        }
        #expect(deficits[0] < 5, "within what both share nothing speaks against either")
        for (short, long) in zip(deficits, deficits.dropFirst()) { #expect(long > short, "\(deficits)") }
    }

    @Test("A query shorter than the least length is not looked up")
    func shortQueriesAreNotLookedUp() throws {
        let catalog = try Catalog(references: [Reference(id: "a", signature: Self.original)])
        for (seconds, isLookedUp) in [(0.25, false), (0.299, false), (1.5, true)] {
            let cut = PeakMusic.cut(Self.original, from: 4, seconds: seconds, .init(extraPerSecond: 60))
            #expect(try catalog.match(cut.query).isEmpty == !isLookedUp, "\(seconds) s")
        }
    }
}
