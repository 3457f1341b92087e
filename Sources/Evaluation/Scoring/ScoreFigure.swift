import Metrics

/// A figure of a ``Scorecard`` with all that is said of it.
///
/// ``all`` declares every figure once. Tables, `summary.json`, pages, the terminal, gates and histories read it there.
package struct ScoreFigure: Sendable {
    /// Its name in tables and JSON, without the suffix of its unit (``key``).
    package let id: String
    /// Its name for people.
    package let title: String
    package let value: Value
    /// A phrase such as `correct over positives`.
    ///
    /// Tables put `mean of` before that of an error and `timed` before that of a latency.
    package let meaning: String
    /// The head of its column in the page's table of conditions; nil if the table leaves it out.
    package let heading: String?
    /// The figure below which a list shows this one, and its title there.
    package let partOf: Whole?
    /// Whether more is better; a history draws other rates as mistakes.
    package let isBetterHigh: Bool
    package let places: Places
    /// How a gate judges it; nil if none does.
    package let measure: TrialMeasure?

    package enum Value: Sendable {
        case count(@Sendable (Scorecard) -> Int)
        case number(Unit, @Sendable (Scorecard) -> Double?)
        /// The length of audio, and the number of recordings that it comes from.
        case audio(seconds: @Sendable (Scorecard) -> Double, recordings: @Sendable (Scorecard) -> Int)
        case rate(@Sendable (Scorecard) -> Proportion, RateInterval = .score)
        case errors(Unit, @Sendable (Scorecard) -> ErrorSummary?)
        case latency(@Sendable (LatencyByKind) -> LatencySummary?)
        /// The first of these errors that has a value. It has no columns of its own.
        case first(Unit, [String])
    }

    /// The 95 % interval of a rate.
    package enum RateInterval: Sendable {
        /// Wilson's for clustered trials.
        case score
        /// The same; where nothing was counted, people read the one-sided bound.
        case bound
        /// That of a threshold that is found again in each draw of recordings. Without negatives there is no threshold.
        case fitted(@Sendable (Scorecard) -> Interval?)
    }

    /// What a figure measures.
    package enum Kind: Sendable {
        /// How often: a rate, a count or another number.
        case rate
        /// How far off.
        case error
        /// How long.
        case latency
    }

    package enum Unit: String, Sendable {
        case fraction, count
        case seconds = "s"
        case milliseconds = "ms"
        /// A number without a unit.
        case ratio

        /// The end of a column's name.
        package var suffix: String {
            switch self {
            case .fraction, .count, .ratio: ""
            case .seconds: "Seconds"
            case .milliseconds: "Milliseconds"
            }
        }
    }

    package struct Whole: Sendable {
        package let id: String
        package let title: String
    }

    /// Where a figure is shown.
    package struct Places: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let cells = Places(rawValue: 1)
        package static let summary = Places(rawValue: 2)
        package static let recordings = Places(rawValue: 4)
        package static let terminal = Places(rawValue: 8)
        package static let history = Places(rawValue: 16)
        /// `cells.csv` and `summary.json`.
        package static let files: Places = [.cells, .summary]
    }

    init(
        _ id: String, _ title: String, _ value: Value, _ meaning: String, heading: String? = nil,
        partOf: Whole? = nil, isBetterHigh: Bool = true, in places: Places = .files,
        gate: TrialMeasure.Value? = nil, gateName: String? = nil, gateWords: String? = nil
    ) {
        self.id = id
        self.title = title
        self.value = value
        self.meaning = meaning
        self.heading = heading
        self.partOf = partOf
        self.isBetterHigh = isBetterHigh
        self.places = places
        measure = gate.map {
            TrialMeasure(
                name: gateName ?? id + value.unit.suffix,
                words: gateWords ?? title.prefix(1).lowercased() + title.dropFirst(),
                unit: value.unit, isBetterHigh: isBetterHigh, isFitted: value.isFitted, value: $0)
        }
    }
}

extension ScoreFigure.Value {
    fileprivate var isFitted: Bool { if case .rate(_, .fitted) = self { true } else { false } }

    package var unit: ScoreFigure.Unit {
        switch self {
        case .count: .count
        case .number(let unit, _), .errors(let unit, _), .first(let unit, _): unit
        case .audio: .seconds
        case .rate: .fraction
        case .latency: .milliseconds
        }
    }
}

extension ScoreFigure {
    private static let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.id, $0) })

    package static func named(_ id: String) -> ScoreFigure? { places[id].map { all[$0] } }

    package static func shown(in place: Places) -> [ScoreFigure] { all.filter { $0.places.contains(place) } }

    package var kind: Kind {
        switch value {
        case .count, .number, .audio, .rate: .rate
        case .errors, .first: .error
        case .latency: .latency
        }
    }

    /// The name of the figure with the suffix of its unit: its key in `summary.json`.
    package var key: String { column("") }

    /// The name of a column of `cells.csv`, such as that of the `Median`.
    package func column(_ part: String) -> String { id + part + value.unit.suffix }

    /// Its column in a table with one for each figure: that of its rate or number, else that of its median.
    package var mainColumn: String { column(kind == .rate ? "" : "Median") }

    /// The figures that its value can come from, the preferred first.
    package var sources: [ScoreFigure] {
        if case .first(_, let ids) = value { ids.compactMap(Self.named) } else { [self] }
    }

    /// The one that its value comes from.
    package func source(in score: Scorecard) -> ScoreFigure? {
        if case .first = value { sources.first { $0.errors(of: score) != nil } } else { self }
    }

    /// The number in its ``mainColumn``.
    package func number(in score: Scorecard) -> Double? {
        switch value {
        case .count(let count): Double(count(score))
        case .number(_, let number): number(score)
        case .audio(let seconds, _): seconds(score)
        case .rate(let rate, _): rate(score).rate
        case .errors, .first: errors(of: score)?.medianAbsolute
        case .latency(let latency): latency(score.latency)?.median
        }
    }

    /// Nil unless it is a rate.
    package func rate(of score: Scorecard) -> Proportion? {
        if case .rate(let rate, _) = value { rate(score) } else { nil }
    }

    /// The 95 % interval of a rate; nil without trials.
    package func interval(of score: Scorecard) -> Interval? {
        guard case .rate(let rate, let interval) = value else { return nil }
        return switch interval {
        case .score, .bound: rate(score).wilsonInterval()
        case .fitted(let interval): interval(score)
        }
    }

    /// Nil unless it is an error, and without answers that have one.
    package func errors(of score: Scorecard) -> ErrorSummary? {
        switch value {
        case .errors(_, let errors): errors(score)
        case .first: source(in: score)?.errors(of: score)
        default: nil
        }
    }

    /// Nil unless it is a latency, and with too few timed queries.
    package func latency(of score: Scorecard) -> LatencySummary? {
        if case .latency(let latency) = value { latency(score.latency) } else { nil }
    }
}
