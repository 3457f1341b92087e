import Foundation
import Metrics
import Testing

@Suite struct PassageTests {
    private func span(_ label: String, _ begin: Double, _ end: Double) -> LabelledSpan {
        LabelledSpan(label: label, begin: begin, end: end)
    }

    /// The cases that `scripts/make-metric-fixtures.py` draws, from the same generator.
    private struct Cases {
        private var state: UInt64 = 20_261_205

        private mutating func below(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }

        /// Disjoint spans of one label, to a hundredth of a second.
        private mutating func spans(_ label: String) -> [LabelledSpan] {
            var (time, spans) = (0, [LabelledSpan]())
            for _ in 0..<below(5) {
                time += 1 + below(400)
                let end = time + 1 + below(600)
                spans.append(
                    LabelledSpan(label: label, begin: Double(time) / 100, end: Double(end) / 100))
                time = end
            }
            return spans
        }

        mutating func next() -> (truth: [LabelledSpan], found: [LabelledSpan], dtc: Double, gtc: Double) {
            var truth: [LabelledSpan] = []
            var found: [LabelledSpan] = []
            for label in ["a", "b"] {
                truth += spans(label)
                found += spans(label)
            }
            return (truth, found, Double(1 + below(9)) / 10, Double(1 + below(9)) / 10)
        }
    }

    /// 1,000 cases have the counts of `sed_scores_eval`.
    @Test func intersectionsEqualThoseOfAnotherProgram() throws {
        let path = try #require(
            Bundle.module.url(forResource: "Fixtures/passages", withExtension: "txt"))
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(lines.count == 1000)
        var cases = Cases()
        for line in lines {
            let expected = line.split(separator: " ").compactMap { Int($0) }
            let (truth, found, dtc, gtc) = cases.next()
            let score = IntersectionScore(
                truth: truth, found: found, detectionTolerance: dtc, truthIntersection: gtc)
            #expect([score.truePositives, score.falsePositives, score.truthCount] == expected)
        }
    }

    @Test func perfectAnswersArePerfect() {
        var cases = Cases()
        for _ in 0..<100 {
            let truth = cases.next().truth
            let score = IntersectionScore(truth: truth, found: truth.reversed())
            let seconds = SecondsScore(truth: truth, found: truth)
            let matching = PassageMatching(truth: truth, found: truth)
            #expect(score.falsePositives == 0 && score.truePositives == truth.count)
            #expect(abs(seconds.commonSeconds - seconds.trueSeconds) < 1e-9)
            #expect(abs(seconds.foundSeconds - seconds.trueSeconds) < 1e-9)
            #expect(Array(matching.finders) == truth.indices.map(Optional.some))
            let none = SecondsScore(truth: truth, found: [])
            #expect(none.commonSeconds == 0 && none.precision == nil)
        }
    }

    /// Whatever is drawn, each answer gets one verdict and each finder belongs to what it finds.
    @Test func verdictsAgreeWithFinders() {
        var cases = Cases()
        var kinds = Set<String>()
        for _ in 0..<300 {
            let (truth, found, _, _) = cases.next()
            let matching = PassageMatching(truth: truth, found: found)
            for (place, finder) in matching.finders.enumerated() {
                guard let finder else { continue }
                #expect(matching.verdicts[finder] == .found(place))
                #expect(truth[place].label == found[finder].label)
                #expect(truth[place].overlapOverUnion(found[finder]) >= PassageMatching.usualOverlap)
            }
            for (number, verdict) in matching.verdicts.enumerated() {
                switch verdict {
                case .found(let place): #expect(matching.finders[place] == number)
                case .duplicate(let place): #expect(matching.finders[place] != nil)
                case .fragment(let place): #expect(matching.finders[place] == nil)
                case .permitted, .wrong: break
                }
                kinds.insert("\(verdict)".prefix { $0 != "(" }.description)
            }
            // The order of the answers changes nothing.
            let turned = PassageMatching(truth: truth, found: found.reversed())
            #expect(
                turned.finders.map { $0.map { found.count - 1 - $0 } } == matching.finders
                    || Set(found).count < found.count)
        }
        #expect(kinds.isSuperset(of: ["found", "duplicate", "fragment", "wrong"]), "\(kinds)")
    }

    @Test func eachKindOfAnswerIsTold() {
        let truth = [span("a", 10, 20), span("a", 40, 60), span("b", 100, 110)]
        let found = [
            span("a", 10.5, 19), span("a", 11, 14), span("a", 41, 46), span("b", 0, 10), span("c", 50, 60),
            span("c", 100, 104),
        ]
        let matching = PassageMatching(truth: truth, found: found, permitted: [span("c", 100, 105)])
        #expect(matching.verdicts == [.found(0), .duplicate(0), .fragment(1), .wrong, .wrong, .permitted])
        #expect(matching.finders == [0, nil, nil])
        let seconds = SecondsScore(truth: truth, found: found, permitted: [span("c", 100, 105)])
        #expect(seconds.trueSeconds == 40 && seconds.commonSeconds == 13.5 && seconds.foundSeconds == 33.5)
    }
}
