import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Studies
import TestSupport
import Testing

@Suite struct MinimiserTests {
    /// A query with these steps, in the syntax of a plan.
    private func cut(_ chain: String, lengthSeconds: Double = 5) throws -> DegradedQuery {
        let steps = try PlanFile.chain(text: chain).map { template in
            var generator = SeededGenerator(seed: 1)
            return try template.draw(using: &generator)
        }
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let track = try #require(corpus.tracks.first { $0.isEnrolled })
        return DegradedQuery(
            track: track, isPositive: true, startFrame: 44_101, lengthSeconds: lengthSeconds,
            chain: DegradationChain(steps: steps))
    }

    private func value<D: Degradation, T>(_ cut: DegradedQuery, _ path: KeyPath<D, T>) -> T? {
        cut.chain.steps.lazy.compactMap { $0.value as? D }.first?[keyPath: path]
    }

    @Test func needlessStepsAreRemovedAndOthersReduced() throws {
        let start = try cut(
            "[{speed: {percent: 3}}, {noise: {colour: pink, snrDecibels: -9}}, {room: {rt60Seconds: 1.2}}, {format: {encoding: mp3-64k}}]"
        )
        // Fails with noise below −4 dB while the room rings for more than half a second, whatever its length up to 8 s.
        var runs = 0
        var minimiser = Minimiser(longestSeconds: 30) { cut in
            runs += 1
            let snr = value(cut, \Noise.snrDecibels) ?? 60
            let rt60 = value(cut, \Room.rt60Seconds) ?? 0
            return snr < -4 && rt60 > 0.5 && cut.lengthSeconds < 8 ? .fails : .holds
        }
        let minimum = try #require(try minimiser.minimum(below: start))
        #expect(minimum.cut.chain.steps.map(\.name) == ["noise", "room"])
        #expect(value(minimum.cut, \Noise.snrDecibels) == -4.5)
        let rt60 = try #require(value(minimum.cut, \Room.rt60Seconds))
        #expect(rt60 > 0.5 && rt60 / 1.1 <= 0.5)
        #expect(minimum.cut.lengthSeconds == 7.5)
        #expect(value(minimum.cut, \Noise.seed) == value(start, \Noise.seed))
        #expect(minimum.runs == runs && runs < 60)
        // Two removals, the noise, the ringing and the length; the direct sound is as loud as it can be.
        #expect(minimum.stepsLess.count == 5)
    }

    @Test(arguments: 0..<40)
    func theMinimumFailsAndNoEasierNeighbourDoes(_ seed: Int) throws {
        let start = try cut(
            "[{tempo: {percent: -4}}, {babble: {voices: 4, snrDecibels: -6}}, {clipping: {overdriveDecibels: 12}}, {band: {lowHertz: 400, highHertz: 3000}}]"
        )
        // This verdict has no order: it fails two in five of the other queries, by their digest alone.
        func verdict(_ cut: DegradedQuery) -> Minimiser.Verdict {
            guard cut != start else { return .fails }
            return StableHash.of("\(seed)", cut.chain.json, "\(cut.lengthSeconds)") % 5 < 2 ? .fails : .holds
        }
        var minimiser = Minimiser(longestSeconds: 12, verdict: verdict)
        let minimum = try #require(try minimiser.minimum(below: start))
        #expect(verdict(minimum.cut) == .fails)
        #expect(minimum.stepsLess.allSatisfy { verdict($0.cut) == .holds && $0.verdict == .holds })
        #expect(minimum.stepsLess.count >= minimum.cut.chain.steps.count)
    }

    @Test func aQueryThatDoesNotFailHasNoMinimum() throws {
        var minimiser = Minimiser(longestSeconds: 12) { _ in .holds }
        let start = try cut("[{gain: {decibels: -3}}]")
        #expect(try minimiser.minimum(below: start) == nil)
    }

    @Test func aQueryThatAlwaysFailsLosesAllStepsAndGetsLongest() throws {
        var minimiser = Minimiser(longestSeconds: 7) { _ in .fails }
        let start = try cut("[{gain: {decibels: -3}}]")
        let minimum = try #require(try minimiser.minimum(below: start))
        #expect(minimum.cut.chain.steps.isEmpty && minimum.cut.lengthSeconds == 7)
        #expect(minimum.stepsLess.isEmpty)
    }

    /// From wherever a plan begins, every value on the way is valid and milder than the one before.
    @Test func aNumberGetsMilderWithinItsRange() throws {
        for kind in AnyDegradation.kinds {
            for parameter in kind.parameters {
                guard let milder = parameter.milder, milder != .never else { continue }
                var ends: [Double] = []
                var isWhole = false
                switch parameter.kind {
                case .number(let range, _): ends = [range.lowerBound, range.upperBound]
                case .integer(let range, _):
                    ends = [Double(range.lowerBound), Double(range.upperBound)]
                    isWhole = true
                default: break
                }
                let ladders = ends.map { milder.values(from: $0, isWhole: isWhole) }
                #expect(ladders.contains { $0.count > 1 }, "\(kind.name).\(parameter.name)")
                for ladder in ladders {
                    let last = try #require(ladder.last)
                    let distances = ladder.map { abs($0 - last) }
                    #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 > $1 })
                    for value in ladder {
                        #expect(parameter.accepts(.number(value)), "\(kind.name).\(parameter.name) \(value)")
                    }
                }
            }
        }
    }

    @Test func aQuerysChainAndPlaceAreReadBackFromTheirText() throws {
        let start = try cut(
            "[{speed: {percent: 0.1}}, {wow: {depthPercent: 0.5, rateHertz: 0.6}}, {noise: {snrDecibels: -0.5}}, {band: {preset: phone}}, {music: {snrDecibels: 3}}]"
        )
        let steps = try PlanFile.chain(text: start.chain.json).map { template in
            var generator = SeededGenerator(seed: 99)
            return try template.draw(using: &generator)
        }
        #expect(steps == start.chain.steps)
        let at = try #require(Double("\(start.startSeconds)"))
        #expect(Int((at * Double(start.sampleRate)).rounded()) == start.startFrame)
    }
}
