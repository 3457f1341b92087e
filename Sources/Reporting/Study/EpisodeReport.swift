import Evaluation
import Studies

/// The passages that episodes share.
package struct EpisodeReport: Report {
    private let findings: EpisodeFindings

    package init(_ findings: EpisodeFindings) { self.findings = findings }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [ReportFile("pairs.csv", pairs), ReportFile("parts.csv", parts)]
    }

    /// One row for each place of each part.
    var parts: String {
        typealias Row = (part: Int, place: EpisodeFindings.Part.Place, trials: [EpisodeFindings.Trial])
        typealias Column = CSVTable<Row>.Column
        let rows = findings.parts.enumerated().flatMap { number, part in
            part.places.map { place in
                Row(number + 1, place, part.trials.filter { $0.episode == place.episode })
            }
        }
        let tails = EpisodeSearch.trialTails.map { tail in
            Column(
                "after\(NumberText.plain(tail))s",
                text: { row in
                    row.trials.first { $0.tailSeconds == tail }?.verdict.rawValue
                })
        }
        return CSVTable<Row>(
            [
                Column("part", count: \.part),
                Column("file", text: { findings.episodes[$0.place.episode].id }),
                Column("startSeconds", number: { $0.place.seconds.lowerBound }),
                Column("endSeconds", number: { $0.place.seconds.upperBound }),
                Column("spreadSeconds", number: \.place.spreadSeconds),
            ] + tails
        ).text(rows)
    }

    /// One row for each passage of each pair of files.
    var pairs: String {
        CSVTable<EpisodeFindings.Passage>([
            .init("first", text: { findings.episodes[$0.first].id }),
            .init("second", text: { findings.episodes[$0.second].id }),
            .init("firstStartSeconds", number: \.firstSeconds.lowerBound),
            .init("firstEndSeconds", number: \.firstSeconds.upperBound),
            .init("secondStartSeconds", number: \.secondSeconds.lowerBound),
            .init("secondEndSeconds", number: \.secondSeconds.upperBound),
            .init("timeSkew", number: \.timeSkew),
            .init("correlation", number: \.correlation),
        ]).text(findings.passages)
    }

    /// The place of each shared part, and how to distinguish its files, as lines for a terminal.
    package var summary: String {
        var lines = ["\(Self.files(findings.episodes.count)), \(Self.sharing(findings))"]
        for copies in findings.copies {
            lines += ["", "Nearly the same recording throughout, so nothing distinguishes them:"]
            lines += copies.map { "  \(name($0))" }
        }
        for (number, part) in findings.parts.enumerated() {
            lines += [
                "",
                "Part \(number + 1), \(Self.tenths(part.lengthSeconds)) s, in \(Self.files(part.episodes.count)):",
            ]
            lines += part.places.map {
                "  \(Self.time($0.seconds.lowerBound))–\(Self.time($0.seconds.upperBound)) s  \(name($0.episode))"
            }
            lines += advice(part).map { "  " + $0 }
        }
        if !findings.unreadable.isEmpty { lines += ["", "Could not be read:"] }
        lines += findings.unreadable.map { "  \($0.id): \($0.message)" }
        return lines.joined(separator: "\n")
    }

    private func advice(_ part: EpisodeFindings.Part) -> [String] {
        let advice = EpisodeAdvice(part, in: findings)
        let count = part.episodes.count
        var lines = [
            "Within it \(count == 2 ? "both" : "all \(count)") are right. A matcher must return every one. Only annotation distinguishes them."
        ]
        switch advice.waiting {
        case .seconds(let tail):
            lines.append(
                "A longer query distinguishes them: each was the only answer to 5 s that end \(NumberText.plain(tail)) s after it."
            )
        case .unknown(let files):
            let names = files.map(name).joined(separator: ", ")
            lines.append(
                "A longer query does not distinguish all: 5 s that end up to \(NumberText.plain(EpisodeSearch.trialTails.last ?? 0)) s after it were not enough for \(names)."
            )
        }
        if !advice.nothingElse.isEmpty {
            lines.append("Nothing else is in \(advice.nothingElse.map(name).joined(separator: ", ")).")
        }
        if advice.isTagged {
            lines.append("They play it at different speeds, so skew tags distinguish them already.")
        } else if let spacing = advice.tagSpacing {
            lines.append(
                "Skew tags \(NumberText.plain(spacing)) % apart have room for \(IntroDesign.episodes(taggedAt: spacing)) files, if each can be played at its own speed."
            )
        } else {
            lines.append("Skew tags have no room for \(count) files.")
        }
        return lines
    }

    private func name(_ file: Int) -> String { findings.episodes[file].id }

    private static func sharing(_ findings: EpisodeFindings) -> String {
        switch findings.parts.count {
        case 0: "which share nothing of 3 s or more"
        case 1: "one shared part"
        case let count: "\(count) shared parts"
        }
    }

    private static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }
    private static func tenths(_ seconds: Double) -> String { NumberText.fixed(seconds, digits: 1) }
    private static func time(_ seconds: Double) -> String { NumberText.fixed(seconds, digits: 2) }
}
