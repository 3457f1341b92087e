import AudioCore
import Corpora
import Foundation
import Matchers
import Metrics
import Studies
import TestSupport
import Testing

extension Passage {
    fileprivate var stretch: LabelledSpan {
        LabelledSpan(label: referenceID, begin: queryRange.lowerBound, end: queryRange.upperBound)
    }
}

/// What makes answers worse by definition improves no figure.
@Suite struct PassageWorseningTests {
    /// A drawn recording with answers of every kind.
    private struct Drawn {
        var outcome: PassageOutcome
        private var generator: SeededGenerator

        static let length = 600.0
        /// No airing, permitted passage or answer is behind it.
        static let quietFrom = 480.0
        private static let aired = ["a", "b", "c"]

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed, "worsening")
            var airings: [Airing] = []
            var permitted: [Airing.Shared] = []
            var answers: [PassageOutcome.Answer] = []
            func answer(_ id: String, _ begin: Double, _ end: Double) {
                answers.append(
                    .init(
                        Passage(
                            referenceID: id, queryRange: begin...max(begin + 0.01, end),
                            referenceRange: 0...1,
                            score: Double(generator.index(below: 6)))))
            }
            for id in Self.aired {
                var time = generator.uniform(in: 0...60)
                while time < 380 {
                    let end = time + generator.uniform(in: 2...40)
                    airings.append(
                        Airing(
                            referenceID: id, kind: .spot, queryRange: time...end,
                            referenceRange: 0...(end - time)))
                    if generator.unit() < 0.8 {
                        let error = generator.uniform(in: -3...3)
                        answer(id, max(0, time + error), end + generator.uniform(in: -3...3))
                    }
                    if generator.unit() < 0.2 { answer(id, time, time + generator.uniform(in: 0.1...3)) }
                    time = end + generator.uniform(in: 5...90)
                }
            }
            for _ in 0..<generator.index(below: 4) {
                let (id, begin) = (["a", "twin"][generator.index(below: 2)], generator.uniform(in: 0...380))
                permitted.append(.init(referenceID: id, queryRange: begin...(begin + 10)))
                if generator.unit() < 0.5 { answer(id, begin + 1, begin + 9) }
            }
            for _ in 0..<generator.index(below: 5) {
                let begin = generator.uniform(in: 0...380)
                answer(["a", "b", "never"][generator.index(below: 3)], begin, begin + 5)
            }
            outcome = PassageOutcome(airings: airings, durationSeconds: Self.length, answers: answers)
            outcome.permitted = permitted
            self.generator = generator
        }

        /// The numbers of the answers with a verdict.
        mutating func drawn(_ isWanted: (PassageMatching.Verdict) -> Bool) -> Int? {
            let verdicts = PassageMatching(
                truth: outcome.airings.map(\.span), found: outcome.answers.map(\.passage.stretch),
                permitted: outcome.permitted.map(\.span)
            ).verdicts
            let wanted = verdicts.indices.filter { isWanted(verdicts[$0]) }
            return wanted.isEmpty ? nil : wanted[generator.index(below: wanted.count)]
        }

        /// The number of an answer that finds a passage which no other answer touches.
        mutating func finder() -> Int? {
            let outcome = outcome
            var alone = Set<Int>()
            for airing in outcome.airings {
                let touching = outcome.answers.indices.filter {
                    outcome.answers[$0].passage.stretch.label == airing.referenceID
                        && outcome.answers[$0].passage.stretch.overlap(airing.span) > 0
                }
                if touching.count == 1 { alone.insert(touching[0]) }
            }
            var number = -1
            return drawn { verdict in
                number += 1
                if case .found = verdict { return alone.contains(number) }
                return false
            }
        }

        mutating func quietRange(_ length: Double) -> ClosedRange<Double> {
            let begin = generator.uniform(in: Self.quietFrom...(Self.length - length))
            return begin...(begin + length)
        }

        mutating func score() -> Double { Double(generator.index(below: 9)) - 1 }
        mutating func name() -> String { ["a", "b", "never", "nobody"][generator.index(below: 4)] }
    }

    private enum Change: CaseIterable {
        case falseAnswer, rightMoved, rightRemoved, rightRepeated, rightCut, rightStretched, falseRaised
        case permittedAdded, recordingShorter

        /// Changes the answers; false where there is nothing to change.
        func apply(to drawn: inout Drawn) -> Bool {
            switch self {
            case .falseAnswer:
                drawn.outcome.answers.append(
                    .init(
                        Passage(
                            referenceID: drawn.name(), queryRange: drawn.quietRange(5), referenceRange: 0...1,
                            score: drawn.score())))
            case .permittedAdded:
                guard let permitted = drawn.outcome.permitted.first(where: { $0.referenceID == "twin" })
                else { return false }
                drawn.outcome.answers.append(
                    .init(
                        Passage(
                            referenceID: "twin", queryRange: permitted.queryRange, referenceRange: 0...1,
                            score: drawn.score())))
            case .falseRaised:
                guard let number = drawn.drawn({ $0 == .wrong }) else { return false }
                drawn.outcome.answers[number].passage.score += 1 + drawn.score()
            case .recordingShorter: drawn.outcome.durationSeconds = Drawn.quietFrom
            case .rightMoved, .rightRemoved, .rightRepeated, .rightCut, .rightStretched:
                guard let number = drawn.finder() else { return false }
                var passage = drawn.outcome.answers[number].passage
                let (begin, end) = (passage.queryRange.lowerBound, passage.queryRange.upperBound)
                switch self {
                case .rightMoved: passage.queryRange = drawn.quietRange(min(60, end - begin))
                case .rightCut: passage.queryRange = begin...(begin + (end - begin) / 5)
                case .rightStretched: passage.queryRange = begin...Drawn.length
                case .rightRepeated: drawn.outcome.answers.append(.init(passage))
                default: break
                }
                if self == .rightRemoved {
                    drawn.outcome.answers.remove(at: number)
                } else {
                    drawn.outcome.answers[number].passage = passage
                }
            }
            return true
        }

        /// The figures that may become better: those that the change is about, or that say nothing of it.
        var exempt: Set<String> {
            switch self {
            case .falseAnswer, .falseRaised, .recordingShorter, .rightMoved: []
            // The same answer once more is no worse where only what is covered counts.
            case .rightRepeated: []
            case .permittedAdded: []
            // Fewer answers may be right more often.
            case .rightRemoved: ["secondsPrecision"]
            // Of the seconds of fewer answers, more may be true.
            case .rightCut: ["secondsPrecision"]
            // It may cover more of the passage, and of those behind it.
            case .rightStretched: ["secondsRecall", "fragments", "duplicates"]
            }
        }
    }

    @Test func noWorseTableHasABetterFigure() {
        var counts: [Change: Int] = [:]
        for seed in 0..<500 {
            for change in Change.allCases {
                var drawn = Drawn(seed: UInt64(seed))
                let before = PassageScore(drawn.outcome).figures
                guard change.apply(to: &drawn) else { continue }
                counts[change, default: 0] += 1
                let after = PassageScore(drawn.outcome).figures
                #expect(after.map(\.name) == before.map(\.name))
                for (old, new) in zip(before, after) where !change.exempt.contains(old.name) {
                    let (value, next) = (old.value, new.value)
                    // Where nothing was counted before, there is nothing to be better than.
                    guard let value else { continue }
                    let gain = (next ?? 0) - value
                    #expect(
                        (old.isBetterHigher ? gain : -gain) <= 1e-9,
                        "seed \(seed), \(change): \(old.name) \(value) to \(next.map { "\($0)" } ?? "none")")
                }
            }
        }
        #expect(Change.allCases.allSatisfy { counts[$0, default: 0] >= 100 }, "\(counts)")
    }

    /// A perfect table without and with permitted answers has the same figures, all of them perfect.
    @Test func permittedAnswersCountNowhere() {
        for seed in 0..<100 {
            var drawn = Drawn(seed: UInt64(seed))
            drawn.outcome.answers = drawn.outcome.airings.map { .init($0.passage) }
            let without = PassageScore(drawn.outcome).figures
            drawn.outcome.answers += drawn.outcome.permitted.filter { $0.referenceID == "twin" }.map {
                .init(
                    Passage(
                        referenceID: $0.referenceID, queryRange: $0.queryRange, referenceRange: 0...1,
                        score: 9))
            }
            let with = PassageScore(drawn.outcome).figures
            for (one, other) in zip(without, with) {
                #expect(one.value == other.value, "seed \(seed): \(one.name)")
                #expect(
                    abs((one.value ?? 9) - (one.isBetterHigher ? 1 : 0)) < 1e-9, "seed \(seed): \(one.name)")
            }
        }
    }
}

/// Tables of answers against tables of truth.
@Suite struct PassageTruthTests {
    private func outcome(
        _ truth: String, _ answers: String, recordingSeconds: Double? = nil
    ) throws -> [PassageOutcome] {
        let folder = try TemporaryFolder()
        try Data(truth.utf8).write(to: URL(fileURLWithPath: folder.file("truth.csv")))
        try Data(answers.utf8).write(to: URL(fileURLWithPath: folder.file("answers.csv")))
        let list = try PassageList(answers: folder.file("answers.csv"))
        return try PassageTruth.truths(
            of: PassageList(truth: folder.file("truth.csv")), recordingSeconds: recordingSeconds
        ).map { try $0.outcome(of: list) }
    }

    private static let truth = """
        reference,begin,end,required,recordingSeconds
        a,10,20,true,450
        b,30,40,true,450
        a,,,,450
        b,,,,450
        never,,,,450

        """

    /// One false answer far behind the end does not make the recording longer: it is refused.
    @Test func answersNeverDecideTheLength() throws {
        let answers = "reference,begin,end\na,10,20\nb,200,210\n"
        let stated = try outcome(Self.truth, answers)[0]
        #expect(stated.durationSeconds == 450 && stated.catalog == ["a", "b", "never"])
        // An older table states none. So the recording ends with its truth, or where an option says.
        let old = "reference,begin,end\na,10,20\nb,30,40\n"
        #expect(try outcome(old, "reference,begin,end\na,10,20\n")[0].durationSeconds == 40)
        #expect(try outcome(old, answers, recordingSeconds: 300)[0].durationSeconds == 300)
        for (truth, words) in [(Self.truth, "from 0 to 450 s"), (old, "from 0 to 40 s")] {
            let error = #expect(throws: ConfigurationError.self) {
                try outcome(truth, "reference,begin,end\na,10,20\nb,999999,1000000\n")
            }
            let text = error?.description ?? ""
            #expect(error?.line == 3 && text.contains(words) && text.contains("column 3"), "\(text)")
        }
        // Programs round, and fill their last window.
        #expect(try outcome(Self.truth, "reference,begin,end\na,440,450.9\n")[0].answers.count == 1)
        let error = #expect(throws: ConfigurationError.self) {
            try outcome(Self.truth, "reference,begin,end\na,440,451.1\n")
        }
        #expect(error?.description.contains("column 7: expected end from 0 to 450 s") == true)
    }

    @Test(arguments: [
        (truth, "nevr,1,2", 2, "references of the catalog, found \"nevr\". Did you mean \"never\"?"),
        (truth, "a,-0.1,2", 2, "column 3: expected begin in seconds, from 0 to"),
        (truth, "a,2,2", 2, "column 5: expected end after 2 s, found 2 s"),
        (truth, "a,1,2\na,,", 3, "column 3: expected something in begin, found nothing"),
        ("reference,begin,end,recordingSecond\na,1,2,9", "a,1,2", 1, "Did you mean \"recordingSeconds\"?"),
        (
            "reference,begin,end,recordingSeconds\na,1,2,9\na,3,4,8", "a,1,2", 3,
            "column 7: expected 9 as in the rows before, found 8"
        ),
        (
            "reference,begin,end,recordingSeconds\na,1,9.5,9", "a,1,2", 2,
            "column 5: expected end from 0 to 9 s, the end of the recording, found 9.5 s"
        ),
        ("reference,begin,end,kind\na,1,2,sogn", "a,1,2", 2, "found \"sogn\". Did you mean \"song\"?"),
        ("reference,begin,end\na,1,2\nb,,", "a,1,2", 2, "one of the 1 references of the catalog"),
        ("reference,begin,end,fadeInSeconds\na,1,2,-1", "a,1,2", 2, "expected fadeInSeconds, from 0 to"),
        ("reference,begin,end,voiceOverBegin,voiceOverEnd\na,1,2,1,", "a,1,2", 2, "in voiceOverEnd"),
    ])
    func aBadRowNamesItself(_ truth: String, _ answers: String, _ line: Int, _ words: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try outcome(truth, "reference,begin,end\n" + answers + "\n")
        }
        let text = error?.description ?? ""
        #expect(error?.line == line && text.contains(words), "\(text)")
    }

    /// What only some annotators mark is permitted, and counts in no figure.
    @Test func whatSomeAnnotatorsMarkCountsNowhere() throws {
        let truth = """
            annotator,reference,begin,end,recordingSeconds
            ann,a,10,20,450
            bo,a,10,20,450
            ann,b,30,40,450

            """
        let outcomes = try outcome(truth, "reference,begin,end,score\na,10,20,1\nb,30,40,9\n")
        let figures = PassageScore(outcomes[0]).figures
        for figure in figures {
            #expect(figure.value == (figure.isBetterHigher ? 1 : 0), "\(figure.name)")
        }
    }
}
