import Foundation
import Metrics
import Testing

@Suite struct PassageTests {
    private func span(_ label: String, _ begin: Double, _ end: Double, score: Double = 0) -> LabelledSpan {
        LabelledSpan(label: label, begin: begin, end: end, score: score)
    }

    /// The cases that `scripts/make-metric-fixtures.py` draws, from the same generator.
    private struct Case {
        var truth: [LabelledSpan] = []
        var found: [LabelledSpan] = []
        var detectionTolerance = 0.0
        var truthIntersection = 0.0
        var mostFalsePerHour = 0.0

        static let seconds = 600.0
    }

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
                    LabelledSpan(
                        label: label, begin: Double(time) / 100, end: Double(end) / 100,
                        score: Double(1 + below(4))))
                time = end
            }
            return spans
        }

        mutating func next() -> Case {
            var next = Case()
            for label in ["a", "b"] {
                next.truth += spans(label)
                next.found += spans(label)
            }
            next.detectionTolerance = Double(1 + below(9)) / 10
            next.truthIntersection = Double(1 + below(9)) / 10
            next.mostFalsePerHour = Double(4 * (1 + below(9)))
            return next
        }
    }

    /// 1,000 cases have the counts and the area of `sed_scores_eval`.
    @Test func intersectionsEqualThoseOfAnotherProgram() throws {
        let path = try #require(
            Bundle.module.url(forResource: "Fixtures/passages", withExtension: "txt"))
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(lines.count == 1000)
        var cases = Cases()
        for line in lines {
            let cells = line.split(separator: " ")
            let next = cases.next()
            let score = IntersectionScore(
                truth: next.truth, found: next.found, detectionTolerance: next.detectionTolerance,
                truthIntersection: next.truthIntersection)
            #expect(
                [score.truePositives, score.falsePositives, score.truthCount]
                    == cells.prefix(3).compactMap { Int($0) })
            let area = PassageArea(
                .perLabel, truth: next.truth, found: next.found, seconds: Case.seconds,
                detectionTolerance: next.detectionTolerance, truthIntersection: next.truthIntersection,
                mostFalsePerHour: next.mostFalsePerHour
            ).value
            switch Double(cells[3]) {
            case nil: #expect(area == nil && cells[3] == "-")
            case let expected?: #expect(abs((area ?? .nan) - expected) < 1e-9)
            }
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
            let next = cases.next()
            let (truth, found) = (next.truth, next.found)
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

    /// Only the order of scores counts, and a false passage that is surer than all others costs the most.
    @Test(arguments: PassageArea.Curve.allCases)
    func theAreaDependsOnTheOrderOfScores(_ curve: PassageArea.Curve) {
        var cases = Cases()
        for _ in 0..<100 {
            let next = cases.next()
            func area(_ found: [LabelledSpan]) -> Double? {
                PassageArea(
                    curve, truth: next.truth, found: found, seconds: Case.seconds, mostFalsePerHour: 30
                ).value
            }
            let stretched = next.found.map { span in
                var span = span
                span.score = exp(span.score) - 7
                return span
            }
            #expect(area(stretched) == area(next.found))
            #expect(next.truth.isEmpty || area(next.truth) == 1)
            let noise = span("a", 500, 501, score: 99)
            #expect((area(next.found + [noise]) ?? 0) <= (area(next.found) ?? 0) + 1e-12)
        }
    }

    /// The curve of all labels is that of one label, whose passages play one label after the other.
    @Test func thePooledAreaIsThatOfOneLabel() {
        var cases = Cases()
        for _ in 0..<300 {
            let next = cases.next()
            let noise = span("c", 10, 12, score: 2)
            func area(
                _ curve: PassageArea.Curve, _ shape: (LabelledSpan) -> LabelledSpan
            ) -> Double? {
                PassageArea(
                    curve, truth: next.truth.map(shape), found: (next.found + [noise]).map(shape),
                    seconds: Case.seconds, detectionTolerance: next.detectionTolerance,
                    truthIntersection: next.truthIntersection, mostFalsePerHour: next.mostFalsePerHour
                ).value
            }
            let pooled = area(.pooled) { $0 }
            // Powers of two keep the hundredths.
            let single = area(.perLabel) { one in
                let start = Double(one.label.unicodeScalars.first?.value ?? 0) * 128
                return span("all", start + one.begin, start + one.end, score: one.score)
            }
            #expect((pooled == nil) == next.truth.isEmpty)
            #expect(abs((pooled ?? 0) - (single ?? 0)) < 1e-12)
        }
    }

    /// Sure answers of labels that never play leave the mean over labels at 1, and not the pooled area.
    @Test func falsePassagesOfOtherLabelsCount() {
        let truth = [span("a", 10, 20), span("b", 100, 110)]
        let right = truth.map { span($0.label, $0.begin, $0.end, score: 10) }
        let wrong = (0..<120).map { span("never \($0)", Double($0), Double($0) + 1, score: 99) }
        func area(_ curve: PassageArea.Curve, _ found: [LabelledSpan]) -> Double? {
            PassageArea(curve, truth: truth, found: found, seconds: 450).value
        }
        #expect(area(.perLabel, right + wrong) == 1 && area(.pooled, right + wrong) == 0)
        #expect(area(.pooled, right) == 1)
        // One false passage of 450 s is 8 an hour, of which the curve has 10.
        #expect(abs((area(.pooled, right + wrong.prefix(1)) ?? 0) - 0.2) < 1e-12)
    }

    /// Permitted passages of one label that overlap are counted once.
    @Test func permittedStretchesAreAUnion() {
        let permitted = [span("a", 10, 14), span("a", 10, 14), span("a", 10, 14)]
        let matching = PassageMatching(truth: [], found: [span("a", 10, 20)], permitted: permitted)
        #expect(matching.verdicts == [.wrong])
    }

    @Test func annotatorsWhoAgreeAreTheirTruth() {
        var cases = Cases()
        for _ in 0..<100 {
            let (one, other) = (cases.next().truth, cases.next().truth)
            func seconds(_ spans: [LabelledSpan]) -> Double {
                SecondsScore(truth: spans, found: []).trueSeconds
            }
            let sorted = one.sorted { ($0.begin, $0.end, $0.label) < ($1.begin, $1.end, $1.label) }
            for count in 1...4 {
                let agreed = Annotations.agreed(
                    Array(repeating: one, count: count), by: Annotations.majority(of: count))
                #expect(agreed.map { [$0.begin, $0.end] } == sorted.map { [$0.begin, $0.end] })
                #expect(agreed.map(\.label) == sorted.map(\.label))
            }
            // What all mark is within what most mark, in any order of annotators.
            let all = Annotations.agreed([one, other, one], by: 3)
            let most = Annotations.agreed([other, one, one], by: 2)
            #expect(seconds(all) <= seconds(most) + 1e-9)
            #expect(SecondsScore(truth: most, found: all).precision ?? 1 > 1 - 1e-9)
            #expect(Annotations.agreed([one, one, other], by: 3) == all)
        }
    }

    @Test func edgesAreThoseOfEnoughAnnotators() {
        let marks = [[span("a", 10, 20)], [span("a", 11, 22)], [span("a", 12, 19), span("a", 40, 50)]]
        #expect(Annotations.agreed(marks, by: 3) == [span("a", 12, 19)])
        #expect(Annotations.agreed(marks, by: 2) == [span("a", 11, 20)])
        // 19 to 20 s belongs to two passages that only overlap a little.
        #expect(Annotations.agreed([[span("a", 10, 20)], [span("a", 19, 30)]], by: 2).isEmpty)
        #expect(Annotations.agreed([[span("a", 1, 2)], [span("b", 1, 2)]], by: 2).isEmpty)
        // Two airings in a row stay two.
        let row = [span("a", 1, 2), span("a", 2, 3)]
        #expect(Annotations.agreed([row, row], by: 2) == row)
    }
}
