import AudioCore
import Metrics

/// The score of the passages found in one recording; intervals are clustered by reference.
package struct PassageScore: Sendable {
    /// A true passage, a found one, or both where one finds the other.
    package struct Row: Sendable {
        package let verdict: Verdict
        package let airing: Airing?
        package let answer: PassageOutcome.Answer?

        package enum Verdict: String, Sendable {
            case found, missed, duplicate, fragment, permitted
            case wrong = "false"
        }

        /// The found beginning and end less the true ones, in seconds.
        package var beginErrorSeconds: Double? {
            pair.map { $1.passage.queryRange.lowerBound - $0.queryRange.lowerBound }
        }
        package var endErrorSeconds: Double? {
            pair.map { $1.passage.queryRange.upperBound - $0.queryRange.upperBound }
        }
        /// The time from the true end until the matcher was sure.
        package var delaySeconds: Double? {
            pair.flatMap { airing, answer in
                answer.elapsedSeconds.map { $0 - airing.queryRange.upperBound }
            }
        }
        package var overlap: Double? { pair.map { $0.span.overlapOverUnion($1.span) } }

        /// Both, where one finds the other.
        package var pair: (airing: Airing, answer: PassageOutcome.Answer)? {
            guard verdict == .found, let airing, let answer else { return nil }
            return (airing, answer)
        }
    }

    /// The true passages of one kind, length or condition.
    package struct Group: Sendable {
        package let name: String
        package let found: Proportion
        package let beginErrors: ErrorSummary?
        package let endErrors: ErrorSummary?
        /// The errors of both ends that have no crossfade.
        package let edgeErrors: ErrorSummary?
        package let delays: ErrorSummary?

        init(_ name: String, _ rows: [Row]) {
            self.name = name
            found = Proportion(
                clustered: rows.compactMap { row in
                    row.airing.map { ($0.referenceID, row.verdict == .found) }
                })
            beginErrors = ErrorSummary(rows.compactMap(\.beginErrorSeconds))
            endErrors = ErrorSummary(rows.compactMap(\.endErrorSeconds))
            edgeErrors = ErrorSummary(
                rows.flatMap { row -> [Double] in
                    guard let (airing, _) = row.pair else { return [] }
                    return [
                        airing.fadeInSeconds <= PassageScore.hardEdgeSeconds ? row.beginErrorSeconds : nil,
                        airing.fadeOutSeconds <= PassageScore.hardEdgeSeconds ? row.endErrorSeconds : nil,
                    ].compactMap(\.self)
                })
            delays = ErrorSummary(rows.compactMap(\.delaySeconds))
        }
    }

    /// True passages and found ones, in order of time.
    package let rows: [Row]
    package let all: Group
    package let kinds: [Group]
    package let lengths: [Group]
    package let conditions: [Group]
    /// Found passages that find a true one, without those that may be found and need not be.
    package let precision: Proportion
    package let seconds: SecondsScore
    /// With the half of both as the least cover.
    package let intersection: IntersectionScore
    /// Over all thresholds of the answers' scores, with the same least cover and one curve of all references.
    package let area: PassageArea
    /// The same with a curve for each reference that airs; answers of other references do not count.
    package let areaByReference: PassageArea
    package let falsePerHour: PoissonRate

    /// A wider overlap counts as a crossfade.
    static let hardEdgeSeconds = 0.05
    /// The shortest lengths of the groups, in seconds.
    package static let lengthSteps = [0.0, 1, 2, 5, 10, 30, 60]

    private static let conditionTests: [(name: String, holds: @Sendable (Airing) -> Bool)] = [
        ("voice over it", { $0.voiceOver != nil }),
        ("other speed or tempo", { $0.timeSkew != 0 }),
        ("crossfade", { max($0.fadeInSeconds, $0.fadeOutSeconds) > hardEdgeSeconds }),
        ("two versions", { $0.shared != nil }),
    ]

    /// What makes an airing hard, as the groups of conditions say it.
    package static func conditions(of airing: Airing) -> [String] {
        conditionTests.filter { $0.holds(airing) }.map(\.name)
    }

    package init(_ outcome: PassageOutcome) {
        let airings = outcome.airings
        let truth = airings.map(\.span)
        let found = outcome.answers.map(\.span)
        let permitted = (airings.compactMap(\.shared) + outcome.permitted).map(\.span)
        let matching = PassageMatching(truth: truth, found: found, permitted: permitted)
        var rows = matching.finders.enumerated().map { place, finder in
            Row(
                verdict: finder == nil ? .missed : .found, airing: airings[place],
                answer: finder.map { outcome.answers[$0] })
        }
        for (verdict, answer) in zip(matching.verdicts, outcome.answers) {
            switch verdict {
            case .found: break
            case .duplicate(let place):
                rows.append(Row(verdict: .duplicate, airing: airings[place], answer: answer))
            case .fragment(let place):
                rows.append(Row(verdict: .fragment, airing: airings[place], answer: answer))
            case .permitted: rows.append(Row(verdict: .permitted, airing: nil, answer: answer))
            case .wrong: rows.append(Row(verdict: .wrong, airing: nil, answer: answer))
            }
        }
        self.rows = rows.sorted { ($0.begin, $0.verdict.rawValue) < ($1.begin, $1.verdict.rawValue) }
        let truths = self.rows.filter { [.found, .missed].contains($0.verdict) }
        all = Group("all", truths)
        kinds = PassageKind.allCases.map { kind in
            Group(kind.rawValue, truths.filter { $0.airing?.kind == kind })
        }.filter { $0.found.trials > 0 }
        lengths = zip(Self.lengthSteps, Self.lengthSteps.dropFirst() + [.infinity]).map { from, to in
            let name =
                to.isFinite
                ? "\(Int(bounded: from)) to \(Int(bounded: to)) s" : "\(Int(bounded: from)) s or more"
            return Group(name, truths.filter { from <= $0.lengthSeconds && $0.lengthSeconds < to })
        }.filter { $0.found.trials > 0 }
        conditions =
            ([Group("5 s or more", truths.filter { $0.lengthSeconds >= 5 })]
            + Self.conditionTests.map { name, holds in
                Group(name, truths.filter { $0.airing.map(holds) ?? false })
            }).filter { $0.found.trials > 0 }
        precision = Proportion(
            clustered: self.rows.compactMap { row in
                guard let answer = row.answer, row.verdict != .permitted else { return nil }
                return (answer.passage.referenceID, row.verdict == .found)
            })
        seconds = SecondsScore(truth: truth, found: found, permitted: permitted)
        let counted = zip(found, matching.verdicts).filter { $1 != .permitted }.map(\.0)
        intersection = IntersectionScore(truth: truth, found: counted)
        area = PassageArea(.pooled, truth: truth, found: counted, seconds: outcome.durationSeconds)
        areaByReference = PassageArea(
            .perLabel, truth: truth, found: counted, seconds: outcome.durationSeconds)
        falsePerHour = PoissonRate(
            matching.verdicts.count { $0 == .wrong }, in: outcome.durationSeconds / 3600)
    }

    /// A figure of the whole recording.
    package struct Figure: Sendable {
        package let name: String
        /// Nil where nothing was counted.
        package let value: Double?
        /// The counts of a share with an interval.
        package let rate: Proportion?
        package let isBetterHigher: Bool

        fileprivate init(_ name: String, _ value: Double?, isBetterHigher: Bool = true) {
            (self.name, self.value, self.rate, self.isBetterHigher) = (name, value, nil, isBetterHigher)
        }

        fileprivate init(_ name: String, _ rate: Proportion) {
            (self.name, self.value, self.rate, self.isBetterHigher) = (name, rate.rate, rate, true)
        }
    }

    package var figures: [Figure] {
        [
            Figure("found", all.found), Figure("precision", precision), Figure("f1", f1),
            Figure("secondsRecall", seconds.recall), Figure("secondsPrecision", seconds.precision),
            Figure("secondsF1", seconds.f1), Figure("intersectionRecall", intersection.recall),
            Figure("intersectionPrecision", intersection.precision),
            Figure("intersectionF1", intersection.f1), Figure("area", area.value),
            Figure("areaByReference", areaByReference.value),
            Figure("falsePerHour", falsePerHour.rate, isBetterHigher: false),
            Figure("duplicates", Double(count(.duplicate)), isBetterHigher: false),
            Figure("fragments", Double(count(.fragment)), isBetterHigher: false),
        ]
    }

    package func count(_ verdict: Row.Verdict) -> Int { rows.count { $0.verdict == verdict } }

    /// The numbers of rows that are missed or false, the longest first.
    package var mistakes: [Int] {
        rows.indices.filter { [.missed, .wrong].contains(rows[$0].verdict) }
            .sorted { (rows[$1].lengthSeconds, $0) < (rows[$0].lengthSeconds, $1) }
    }

    /// The harmonic mean of precision and recall; nil without passages.
    package var f1: Double? {
        let hits = Double(all.found.successes)
        let sum = Double(all.found.trials + precision.trials)
        return sum > 0 ? 2 * hits / sum : nil
    }
}

extension PassageScore.Row {
    package var referenceID: String { airing?.referenceID ?? answer?.passage.referenceID ?? "" }
    /// The true stretch of the recording, or the answered one if there is none.
    package var queryRange: ClosedRange<Double> { airing?.queryRange ?? answer?.passage.queryRange ?? 0...0 }
    package var lengthSeconds: Double { queryRange.upperBound - queryRange.lowerBound }
    /// The first second of either.
    fileprivate var begin: Double {
        min(queryRange.lowerBound, answer?.passage.queryRange.lowerBound ?? .infinity)
    }
}

extension PassageOutcome.Answer {
    var span: LabelledSpan {
        LabelledSpan(
            label: passage.referenceID, begin: passage.queryRange.lowerBound,
            end: passage.queryRange.upperBound, score: passage.score)
    }
}
