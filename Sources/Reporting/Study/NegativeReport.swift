import Metrics
import Studies
import SystemIO

/// False matches in hours of audio that is in no reference.
package struct NegativeReport: Report {
    let streams: NegativeStreams

    package init(_ streams: NegativeStreams) { self.streams = streams }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("negatives.csv", table), ReportFile("false-matches.csv", falseMatches),
            ReportFile("negatives.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String {
        let lines = streams.chains.map { chain in
            "\(chain.chain): \(Self.hours(chain.playedSeconds)) h, \(Self.rate(chain.falseMatchesPerHour)), "
                + "\(Self.cost(chain.processorSecondsPerHour)), "
                + "\(chain.residentBytesAfterTenMinutes.map { "\($0 / 1_000_000)" } ?? NumberText.missing) MB after "
                + "10 min, \(chain.residentBytesAtEnd / 1_000_000) MB at the end"
                + (chain.failures.isEmpty
                    ? "" : ", \(chain.failures.count.counting("recording")) could not be played")
        }
        return
            (lines + [
                "\(Self.hours(streams.playedSeconds)) h played, \(Self.hours(streams.distinctSeconds)) h of them "
                    + "distinct, against \(streams.referenceCount.counting("reference")): "
                    + "\(Self.rate(streams.falseMatchesPerHour)), \(Self.cost(streams.processorSecondsPerHour))"
            ]).joined(separator: "\n")
    }

    private static func hours(_ seconds: Double) -> String { NumberText.fixed(seconds / 3600, digits: 2) }

    private static func cost(_ seconds: Double?) -> String {
        "\(seconds.map { NumberText.significant($0, digits: 3) } ?? NumberText.missing) CPU s an hour"
    }

    private static func rate(_ rate: PoissonRate) -> String {
        guard let value = rate.rate, let range = rate.exactInterval() else { return "\(rate.events) false" }
        return "\(rate.events) false, \(NumberText.significant(value)) an hour "
            + "(\(NumberText.significant(range.lower))–\(NumberText.significant(range.upper)))"
    }

    private var table: String {
        typealias Column = CSVTable<NegativeStream>.Column
        return CSVTable(columns: [
            Column("chain", text: \.chain),
            Column("recordings", count: { Set($0.passages.map(\.trackID)).count }),
            Column("playedSeconds", number: \.playedSeconds),
            Column("falseMatches", count: \.falseMatches.count),
            Column("falseMatchesPerHour", number: \.falseMatchesPerHour.rate),
            Column("perHourLower", number: { $0.falseMatchesPerHour.exactInterval()?.lower }),
            Column("perHourUpper", number: { $0.falseMatchesPerHour.exactInterval()?.upper }),
            Column("failures", count: \.failures.count),
            Column("processorSecondsPerHour", number: \.processorSecondsPerHour),
            Column("residentBytesAfterTenMinutes", count: \.residentBytesAfterTenMinutes),
            Column("residentBytesAtEnd", count: \.residentBytesAtEnd),
        ]).text(streams.chains)
    }

    private var falseMatches: String {
        typealias Row = (chain: String, match: NegativeStream.FalseMatch)
        typealias Column = CSVTable<Row>.Column
        return CSVTable(columns: [
            Column("chain", text: { $0.chain }),
            Column("track", text: { $0.match.trackID }),
            Column("reference", text: { $0.match.referenceID }),
            Column("score", number: { $0.match.score }),
            Column("elapsedSeconds", number: { $0.match.elapsedSeconds }),
            Column("heardSeconds", number: { $0.match.heardSeconds }),
        ]).text(streams.chains.flatMap { chain in chain.falseMatches.map { (chain.chain, $0) } })
    }

    private var page: FigurePage {
        let total = streams.falseMatchesPerHour
        let bound = total.exactUpperBound().map { NumberText.significant($0) } ?? NumberText.missing
        let failures = streams.chains.flatMap { chain in
            chain.failures.map { "\(chain.chain) \($0.trackID) could not be played: \($0.message)" }
        }
        return FigurePage(
            title: "\(streams.origin.matcher.name) \(streams.origin.matcher.version), negatives of "
                + streams.origin.corpusName,
            verdict:
                "\(Self.rate(total)) in \(Self.hours(streams.playedSeconds)) h. With 95 % confidence the rate is at most "
                + "\(bound) an hour.",
            scope:
                "\(Self.hours(streams.distinctSeconds)) h of different audio. Each passage is played once under each of "
                + "\(streams.chains.count) chains, against \(streams.referenceCount) references "
                + "(\(Self.hours(streams.referenceSeconds)) h). Intervals assume independent false matches. "
                + "Several chains repeat the same passages.",
            sections: [curve, chains], origin: streams.origin, notes: failures,
            files: "negatives.csv holds every chain, false-matches.csv every false match.")
    }

    private var curve: FigureSection {
        FigureSection(
            id: "curve", title: "False matches over hours",
            text:
                "Chain after chain. The upper bound falls with every hour without a false match.",
            charts: [
                LineChart(
                    id: "count", title: "False matches",
                    caption: "The count after each hour.",
                    xAxis: "hours played", yAxis: "false matches", most: 1,
                    series: [LineChart.Series(name: "false matches", points: growth { Double($0.events) })]),
                LineChart(
                    id: "bound", title: "Rate",
                    caption: "The upper bound with one-sided 95 % confidence (Poisson).",
                    xAxis: "hours played", yAxis: "false matches an hour", yScale: .logarithmic,
                    series: [
                        LineChart.Series(
                            name: "upper bound",
                            points: growth { $0.exactUpperBound() ?? 0 }.filter { $0.y > 0 })
                    ]),
            ])
    }

    /// A figure at each false match, at the end of each chain and at each hundredth of the hours.
    private func growth(_ figure: (PoissonRate) -> Double) -> [LineChart.Point] {
        var marks: [(hours: Double, isFalse: Bool)] = []
        var hours = 0.0
        for chain in streams.chains {
            marks += chain.falseMatches.map { (hours + $0.elapsedSeconds / 3600, true) }
            hours += chain.playedSeconds / 3600
            marks.append((hours, false))
        }
        marks += (0...100).map { (hours * Double($0) / 100, false) }
        var events = 0
        return marks.sorted { $0.hours < $1.hours }.map { mark in
            if mark.isFalse { events += 1 }
            return .init(x: mark.hours, y: figure(PoissonRate(events, in: mark.hours)))
        }
    }

    private var chains: FigureSection {
        FigureSection(
            id: "chains", title: "Chains",
            text: "Memory is that of the whole process, which may play several chains at a time.",
            tables: [
                FigureTable(
                    "Audio of no reference, played once under each chain", head: "Chain",
                    columns: [
                        "hours", "false", "an hour", "95 %", "CPU s an hour", "memory after 10 min",
                        "at the end",
                        "not played",
                    ],
                    rows: streams.chains.map { chain in
                        let range = chain.falseMatchesPerHour.exactInterval()
                        return (
                            chain.chain,
                            [
                                Self.hours(chain.playedSeconds), NumberText.count(chain.falseMatches.count),
                                chain.falseMatchesPerHour.rate.map { NumberText.significant($0) }
                                    ?? NumberText.missing,
                                range.map {
                                    "\(NumberText.significant($0.lower))–\(NumberText.significant($0.upper))"
                                } ?? NumberText.missing,
                                chain.processorSecondsPerHour.map { NumberText.significant($0, digits: 3) }
                                    ?? NumberText.missing,
                                chain.residentBytesAfterTenMinutes.map { NumberText.bytes(Double($0)) }
                                    ?? NumberText.missing,
                                NumberText.bytes(Double(chain.residentBytesAtEnd)),
                                NumberText.count(chain.failures.count),
                            ]
                        )
                    })
            ])
    }
}
