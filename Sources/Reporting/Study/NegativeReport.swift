import Metrics
import Studies
import SystemIO

/// False matches in hours of audio that is in no reference.
package struct NegativeReport: Report {
    let streams: NegativeStreams

    package init(_ streams: NegativeStreams) { self.streams = streams }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("negatives.csv", Self.columns, streams.chains),
            ReportFile(
                "false-matches.csv", Self.falseMatches,
                streams.chains.flatMap { chain in chain.falseMatches.map { (chain.chain, $0) } }),
            ReportFile("negatives.html", try page.html(charts: charts)),
        ]
    }

    package var summary: String {
        let lines = streams.chains.map { chain in
            "\(chain.chain): \(Self.hours(chain.playedSeconds)) h, \(Self.rate(chain.falseMatchesPerHour)), "
                + "\(Self.cost(chain.processorSecondsPerHour)), "
                + "\(NumberText.optional(chain.residentBytesAfterTenMinutes) { "\($0 / 1_000_000)" }) MB after "
                + "10 min, \(chain.residentBytesAtEnd / 1_000_000) MB at the end"
                + (chain.failures.isEmpty
                    ? "" : ", \(chain.failures.count.counting("recording")) could not be played")
        }
        return
            (lines + [
                "\(Self.hours(streams.playedSeconds)) h played, \(Self.hours(streams.distinctSeconds)) h of them "
                    + "distinct, against \(streams.referenceCount.counting("reference")): "
                    + "\(Self.rate(streams.falseMatchesPerHour)) of different audio, "
                    + Self.cost(streams.processorSecondsPerHour)
            ]).joined(separator: "\n")
    }

    private static func hours(_ seconds: Double) -> String { NumberText.fixed(seconds / 3600, digits: 2) }

    private static func cost(_ seconds: Double?) -> String { "\(threeDigits(seconds)) CPU s an hour" }

    private static func threeDigits(_ value: Double?) -> String { NumberText.significant(value, digits: 3) }

    private static func range(_ rate: PoissonRate) -> String {
        NumberText.optional(rate.exactInterval()) {
            "\(NumberText.significant($0.lower))–\(NumberText.significant($0.upper))"
        }
    }

    private static func rate(_ rate: PoissonRate) -> String {
        guard let value = rate.rate else { return "\(rate.events) false" }
        return "\(rate.events) false, \(NumberText.significant(value)) an hour (\(range(rate)))"
    }

    private static var columns: [Table<NegativeStream>.Column] {
        [
            .init("chain", text: \.chain), .init("Chain") { $0.chain == "[]" ? "clean" : $0.chain },
            .init("recordings", count: { Set($0.passages.map(\.trackID)).count }),
            .init("playedSeconds", head: "hours", as: hours, number: \.playedSeconds),
            .init("falseMatches", head: "false", count: \.falseMatches.count),
            .init("falseMatchesPerHour", head: "an hour", number: \.falseMatchesPerHour.rate),
            .init("perHourLower", number: { $0.falseMatchesPerHour.exactInterval()?.lower }),
            .init("perHourUpper", number: { $0.falseMatchesPerHour.exactInterval()?.upper }),
            .init("95 %") { range($0.falseMatchesPerHour) }, .init("failures", count: \.failures.count),
            .init(
                "processorSecondsPerHour", head: "CPU s an hour", as: threeDigits,
                number: \.processorSecondsPerHour),
            .init(
                "residentBytesAfterTenMinutes", head: "memory after 10 min",
                bytes: \.residentBytesAfterTenMinutes),
            .init("residentBytesAtEnd", head: "at the end", bytes: \.residentBytesAtEnd),
            .init("not played") { $0.failures.count.text },
        ]
    }

    private static var falseMatches: [Table<(chain: String, match: NegativeStream.FalseMatch)>.Column] {
        [
            .init("chain", text: { $0.chain }), .init("track", text: { $0.match.trackID }),
            .init("reference", text: { $0.match.referenceID }), .init("score", number: { $0.match.score }),
            .init("elapsedSeconds", number: { $0.match.elapsedSeconds }),
            .init("heardSeconds", number: { $0.match.heardSeconds }),
        ]
    }

    private var page: FigurePage {
        let total = streams.falseMatchesPerHour
        let bound = NumberText.significant(total.exactUpperBound())
        let failures = streams.chains.flatMap { chain in
            chain.failures.map { "\(chain.chain) \($0.trackID) could not be played: \($0.message)" }
        }
        return FigurePage(
            title: "\(streams.origin.matcher.name) \(streams.origin.matcher.version), negatives of "
                + streams.origin.corpusName,
            verdict: "\(total.events.text("false match", "false matches")) in "
                + "\(Self.hours(streams.playedSeconds)) h. With 95 % confidence the rate is at most "
                + "\(bound) an hour of different audio.",
            scope:
                "\(Self.hours(streams.distinctSeconds)) h of different audio. Each passage is played once under each of "
                + "\(streams.chains.count.text("chain")), against "
                + "\(streams.referenceCount.text("reference")) "
                + "(\(Self.hours(streams.referenceSeconds)) h). Intervals assume independent false matches. "
                + "Several chains repeat the same passages, whose hours count once.",
            tiles: tiles, sections: [curve, chains], notes: streams.origin.notes + failures,
            provenance: ProvenanceContent(streams.origin),
            files: "negatives.csv holds every chain, false-matches.csv every false match.")
    }

    private var tiles: [Tile] {
        let rate = streams.falseMatchesPerHour
        let blank = NumberText.blank
        return [
            Tile(
                "False matches", rate.events.text, ["in \(Self.hours(streams.playedSeconds))\(blank)h played"]
            ),
            Tile(
                "Rate", "≤\(NumberText.significant(rate.exactUpperBound()))\(blank)an hour",
                ["of different audio, with 95\(blank)% confidence"]),
            Tile(
                "Different audio", "\(Self.hours(streams.distinctSeconds))\(blank)h",
                ["under \(streams.chains.count.text("chain"))"]),
            Tile(
                "Processor time", "\(Self.threeDigits(streams.processorSecondsPerHour))\(blank)s",
                ["an hour of audio"]),
        ]
    }

    private var curve: FigureSection {
        FigureSection(
            id: "curve", title: "False matches over hours",
            text:
                "Chain after chain. The upper bound falls with every hour of different audio without a false match.",
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
        let distinct = streams.distinctSeconds / 3600
        marks += (0...100).map { (hours * Double($0) / 100, false) }
        var events = 0
        return marks.sorted { $0.hours < $1.hours }.map { mark in
            if mark.isFalse { events += 1 }
            return .init(x: mark.hours, y: figure(PoissonRate(events, in: min(mark.hours, distinct))))
        }
    }

    private var chains: FigureSection {
        FigureSection(
            id: "chains", title: "Chains",
            text: "Memory is that of the whole process, which may play several chains at a time.",
            tables: [
                FigureTable(
                    "Audio of no reference, played once under each chain", Self.columns, rows: streams.chains)
            ])
    }
}
