import AudioCore
import Evaluation
import Studies

/// The passages that episodes share.
package struct EpisodeReport: Report {
    let findings: EpisodeFindings
    let origin: Provenance

    /// - Parameter origin: The matcher that identified queries, the program and the machine.
    package init(_ findings: EpisodeFindings, origin: Provenance) {
        self.findings = findings
        self.origin = origin
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        let export = EpisodeExport(findings)
        return [
            ReportFile("pairs.csv", pairs), ReportFile("parts.csv", parts),
            ReportFile("parts.json", try export.json),
        ] + export.chapterFiles + [ReportFile("episodes.html", try page.html(charts: charts))]
    }

    /// One row for each place of each part.
    var parts: String {
        typealias Row = (
            part: Int, kind: EpisodeFindings.Kind, place: EpisodeFindings.Part.Place,
            trials: [EpisodeFindings.Trial]
        )
        typealias Column = CSVTable<Row>.Column
        let rows = findings.parts.enumerated().flatMap { number, part in
            zip(part.places, findings.kinds(of: part)).map { place, kind in
                Row(number + 1, kind, place, part.trials.filter { $0.episode == place.episode })
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
                Column("startSeconds", digits: 3, number: { $0.place.seconds.lowerBound }),
                Column("endSeconds", digits: 3, number: { $0.place.seconds.upperBound }),
                Column("spreadSeconds", digits: 3, number: \.place.spreadSeconds),
                Column("kind", text: \.kind.rawValue),
            ] + tails
        ).text(rows)
    }

    /// One row for each passage of each pair of files.
    var pairs: String {
        CSVTable<EpisodeFindings.Passage>([
            .init("first", text: { findings.episodes[$0.first].id }),
            .init("second", text: { findings.episodes[$0.second].id }),
            .init("firstStartSeconds", digits: 3, number: \.firstSeconds.lowerBound),
            .init("firstEndSeconds", digits: 3, number: \.firstSeconds.upperBound),
            .init("secondStartSeconds", digits: 3, number: \.secondSeconds.lowerBound),
            .init("secondEndSeconds", digits: 3, number: \.secondSeconds.upperBound),
            .init("timeSkew", digits: 5, number: \.timeSkew),
            .init("correlation", digits: 4, number: \.correlation),
        ]).text(findings.passages)
    }

    /// The most parts and names in the summary and on the page.
    private static let mostParts = 8
    private static let mostNames = 5

    /// The parts that most files share, as lines for a terminal.
    package var summary: String {
        let shown = findings.parts.prefix(Self.mostParts)
        var lines = [title]
        if !shown.isEmpty {
            let head = ["part", "", "length", "files", "starts", "told apart"]
            let rows = shown.enumerated().map { number, part in
                ["\(number + 1)"] + cells(of: part)
            }
            lines += TableText.aligned([head] + rows, flushRight: [0, 2, 3]).map { "  \($0)" }
        }
        let rest = findings.parts.dropFirst(Self.mostParts)
        if let last = rest.last, let first = rest.first {
            let counts = Self.range(of: [last, first].map { NumberText.count($0.episodes.count) }, " to ")
            lines.append("  and \(NumberText.count(rest.count, "part")) in \(counts) files")
        }
        return TableText.joined(lines + remarks)
    }

    /// A part without its number: kind, length, files, range of its starts, seconds after it until answers name one file.
    func cells(of part: EpisodeFindings.Part) -> [String] {
        let starts = part.places.map(\.seconds.lowerBound)
        let waiting =
            switch EpisodeAdvice(part, in: findings).waiting {
            case .seconds(let tail): "\(NumberText.plain(tail))\(NumberText.blank)s after it"
            case .unknown(let files): "not \(Self.files(files.count))"
            case .nothingFollows: "nothing follows"
            }
        return [
            findings.kind(of: part).title ?? "", NumberText.seconds(part.lengthSeconds),
            NumberText.count(part.episodes.count),
            Self.range(of: [starts.min() ?? 0, starts.max() ?? 0].map(NumberText.clock), "–"), waiting,
        ]
    }

    /// What there is, in a few words.
    var title: String { "\(Self.files(findings.episodes.count)), \(Self.sharing(findings))" }

    /// What the table of parts does not say.
    var remarks: [String] {
        var lines: [String] = []
        let intros = findings.parts.filter { findings.kind(of: $0) == .intro }
        let without = Set(findings.episodes.indices).subtracting(intros.flatMap(\.episodes)).sorted()
        if !without.isEmpty, 2 * without.count <= findings.episodes.count {
            lines.append("Without an intro: \(names(without))")
        }
        for copies in findings.copies {
            lines.append("Nearly the same throughout, so nothing distinguishes them: \(names(copies))")
        }
        return lines + findings.unreadable.map { "Could not be read: \($0.id): \($0.message)" }
    }

    func names(_ files: [Int]) -> String {
        let more = files.count - Self.mostNames
        return files.prefix(Self.mostNames).map { findings.episodes[$0].id }.joined(separator: ", ")
            + (more > 0 ? " and \(NumberText.count(more)) more" : "")
    }

    private static func sharing(_ findings: EpisodeFindings) -> String {
        switch findings.parts.count {
        case 0: "no shared part"
        case 1: "one shared part"
        case let count: "\(count) shared parts"
        }
    }

    /// Two texts, or one if they are equal.
    private static func range(of ends: [String], _ separator: String) -> String {
        (ends[0] == ends[1] ? [ends[0]] : ends).joined(separator: separator)
    }

    private static func files(_ count: Int) -> String { NumberText.count(count, "file") }
}

extension EpisodeFindings.Kind {
    /// Its name for people and players; nil for parts of no kind.
    var title: String? { self == .other ? nil : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
