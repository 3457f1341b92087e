import Evaluation
import Metrics
import Studies
import Testing

@Suite struct StreamedQueryTests {
    private static let cell = Cell(degradation: "clean", severity: "", severityValue: nil, lengthSeconds: 4)

    private func query(
        _ changes: [(Double, StreamedQuery.Answer)], cluster: String = "c", error: String? = nil
    ) -> StreamedQuery {
        StreamedQuery(
            trialID: "t", cell: Self.cell, source: "s", cluster: cluster,
            changes: [.init(seconds: 0, answer: .none)] + changes.map { .init(seconds: $0.0, answer: $0.1) },
            error: error)
    }

    @Test func timesFollowFromTheChanges() {
        let steady = query([(1.25, .right)])
        #expect(steady.firstRightSeconds == 1.25 && steady.stableSeconds == 1.25)
        #expect(steady.flips == 0 && steady.wrongAnswersBeforeRight == 0 && steady.firstWrongSeconds == nil)

        let wavering = query([
            (0.75, .wrong("a")), (1, .wrong("b")), (1.5, .none), (2, .right), (3, .none), (3.5, .right),
        ])
        #expect(wavering.firstRightSeconds == 2 && wavering.stableSeconds == 3.5)
        #expect(wavering.flips == 3 && wavering.wrongAnswersBeforeRight == 2)
        #expect(wavering.firstWrongSeconds == 0.75)

        let lost = query([(1, .right), (2, .wrong("a"))])
        #expect(lost.firstRightSeconds == 1 && lost.stableSeconds == nil)
        #expect(lost.flips == 1 && lost.wrongAnswersBeforeRight == 0)

        let never = query([(1, .wrong("a"))])
        #expect(never.firstRightSeconds == nil && never.stableSeconds == nil)
        #expect(never.wrongAnswersBeforeRight == 1)
    }

    @Test func theAnswerAtAMomentIsTheLastOneGiven() {
        let query = query([(1, .right), (2.5, .wrong("a"))])
        #expect(query.answer(at: 0) == .none && query.answer(at: 0.999) == .none)
        #expect(query.answer(at: 1) == .right && query.answer(at: 2.49) == .right)
        #expect(query.answer(at: 4) == .wrong("a"))
    }

    @Test func sharesSumToOneAtEveryMoment() throws {
        let queries = (0..<20).map { number -> StreamedQuery in
            let answer: StreamedQuery.Answer = number % 4 == 0 ? .wrong("a") : .right
            let seconds = 0.5 + 0.1 * Double(number)
            return query(number % 3 == 0 ? [] : [(seconds, answer)], cluster: "\(number % 7)")
        }
        let cell = try #require(StreamedCell.cells(of: queries).first)
        let steps: [Double] = (0...16).map { 0.25 * Double($0) }
        #expect(cell.moments.map { $0.seconds } == steps)
        for moment in cell.moments {
            #expect(moment.right.successes + moment.wrong.successes + moment.none.successes == 20)
            #expect(moment.right.trials == 20 && moment.right.clusters == 7)
        }
        #expect(cell.moments.first?.none.successes == 20)
        #expect(cell.moments.last?.right.successes == cell.everRight.successes)
        // Queries never answered differently later: the share of right answers cannot fall.
        for (early, late) in zip(cell.moments, cell.moments.dropFirst()) {
            #expect(early.right.successes <= late.right.successes)
        }
    }

    @Test func aTimeThatFewReachIsNoPercentile() {
        let times = StreamedCell.Times([1, 2, 3, nil])
        #expect(times.median == 2.5 && times.percentile90 == nil && times.longest == 3)
        #expect(StreamedCell.Times([1, 2, nil]).median == 2)
        #expect(StreamedCell.Times([1, nil]).median == nil)
        #expect(StreamedCell.Times([]).median == nil)
        let whole: [Double] = (0...100).map { Double($0) }
        #expect(StreamedCell.Times(whole).percentile90 == Percentile.of(whole, at: 0.9))
    }

    @Test func cellsKeepTheOrderOfTheirFirstQueries() {
        let other = Cell(degradation: "noise", severity: "0 dB", severityValue: 0, lengthSeconds: 3)
        let second = StreamedQuery(
            trialID: "u", cell: other, source: "s", cluster: "c", changes: [.init(seconds: 0, answer: .none)],
            error: "broken")
        let cells = StreamedCell.cells(of: [query([]), second, query([(1, .right)])])
        #expect(cells.map(\.cell) == [Self.cell, other])
        #expect(cells[0].queries.count == 2 && cells[1].errors == 1 && cells[1].everRight.successes == 0)
    }
}
