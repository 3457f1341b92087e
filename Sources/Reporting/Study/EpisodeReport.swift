import AudioCore
import Evaluation
import Studies

/// The passages that episodes share.
package struct EpisodeReport: Report {
    let findings: EpisodeFindings
    let origin: Provenance
    let skipped: Set<EpisodeFindings.Kind>

    /// What edit lists skip by default.
    package static let usuallySkipped: Set<EpisodeFindings.Kind> = [.intro, .credits, .recap, .preview]

    /// - Parameters:
    ///   - origin: The matcher that identified queries, the program and the machine.
    ///   - skipped: What edit lists skip.
    package init(
        _ findings: EpisodeFindings, origin: Provenance,
        skipping skipped: Set<EpisodeFindings.Kind> = Self.usuallySkipped
    ) {
        self.findings = findings
        self.origin = origin
        self.skipped = skipped
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        let export = EpisodeExport(findings, skipping: skipped)
        return [
            ReportFile("pairs.csv", pairs), ReportFile("parts.csv", parts),
            ReportFile("parts.json", try export.json), ReportFile("told-apart.csv", toldApart),
        ] + export.chapterFiles + [ReportFile("episodes.html", try page.html(charts: charts))]
    }

    typealias PartPlace = (kind: EpisodeFindings.Kind, place: EpisodeFindings.Part.Place)

    /// A place in `parts.csv` and `parts.json`.
    static func columns(_ findings: EpisodeFindings) -> [Table<PartPlace>.Column] {
        [
            .init("file", text: { findings.episodes[$0.place.episode].id }),
            .init("startSeconds", digits: 3, number: { $0.place.seconds.lowerBound }),
            .init("endSeconds", digits: 3, number: { $0.place.seconds.upperBound }),
            .init("spreadSeconds", digits: 3, number: { $0.place.spreadSeconds }),
            .init("kind", text: { $0.kind.rawValue }),
        ]
    }

    /// One row for each place of each part.
    var parts: String {
        typealias Row = (part: Int, place: PartPlace, trials: [EpisodeFindings.Trial])
        let rows = findings.parts.enumerated().flatMap { number, part in
            zip(findings.kinds(of: part), part.places).map { kind, place in
                Row(number + 1, (kind, place), part.trials.filter { $0.episode == place.episode })
            }
        }
        let tails = EpisodeSearch.trialTails.map { tail in
            Table<Row>.Column(
                "after\(NumberText.plain(tail))s",
                text: { row in row.trials.first { $0.tailSeconds == tail }?.verdict.rawValue })
        }
        let places = Self.columns(findings).map { $0.map(\Row.place) }
        return Table([.init("part", count: { $0.part })] + places + tails).csv(rows)
    }

    /// One row for each passage of each pair of files.
    var pairs: String {
        Table<EpisodeFindings.Passage>([
            .init("first", text: { findings.episodes[$0.first].id }),
            .init("second", text: { findings.episodes[$0.second].id }),
            .init("firstStartSeconds", digits: 3, number: \.firstSeconds.lowerBound),
            .init("firstEndSeconds", digits: 3, number: \.firstSeconds.upperBound),
            .init("secondStartSeconds", digits: 3, number: \.secondSeconds.lowerBound),
            .init("secondEndSeconds", digits: 3, number: \.secondSeconds.upperBound),
            .init("timeSkew", digits: 5, number: \.timeSkew),
            .init("correlation", digits: 4, number: \.correlation),
        ]).csv(findings.passages)
    }

    /// One row for each file, with the first second at which it can be told from every other.
    var toldApart: String {
        Table<Int>([
            .init("file", text: { findings.episodes[$0].id }),
            .init("durationSeconds", digits: 3, number: { findings.episodes[$0].durationSeconds }),
            .init("toldApartSeconds", digits: 3, number: { findings.toldApartSeconds(of: $0) }),
        ]).csv(Array(findings.episodes.indices))
    }

    /// How many files can be told apart early, and when each of the others can.
    private var tellingApart: [String] {
        let seconds = findings.episodes.indices.map(findings.toldApartSeconds)
        let early = seconds.count { $0.map { $0 <= Self.earlySeconds } ?? false }
        let sentence =
            "Told from every other file in the first \(NumberText.seconds(Self.earlySeconds)): "
            + "\(early.text) of \(Self.files(seconds.count))"
        let late = findings.episodes.indices.filter { seconds[$0].map { $0 > Self.earlySeconds } ?? false }
        guard !late.isEmpty else { return [sentence] }
        let shown = late.prefix(Self.mostNames).map { index in
            "\(findings.episodes[index].id) from \(NumberText.clock(seconds[index] ?? 0)) on"
        }
        let more = late.count - Self.mostNames
        return [sentence + "; " + shown.joined(separator: ", ") + (more > 0 ? " and \(more.text) more" : "")]
    }

    private static let earlySeconds = 10.0

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
            let counts = Self.range(of: [last, first].map { $0.episodes.count.text }, " to ")
            lines.append("  and \(rest.count.text("part")) in \(counts) files")
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
            part.episodes.count.text,
            Self.range(of: [starts.min() ?? 0, starts.max() ?? 0].map(NumberText.clock), "–"), waiting,
        ]
    }

    /// What there is, in a few words.
    var title: String { "\(Self.files(findings.episodes.count)), \(Self.sharing(findings))" }

    /// What the table of parts does not say.
    var remarks: [String] {
        var lines = findings.parts.isEmpty ? [] : tellingApart
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
            + (more > 0 ? " and \(more.text) more" : "")
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

    private static func files(_ count: Int) -> String { count.text("file") }
}

extension EpisodeFindings.Kind {
    /// Its name for people and players; nil for parts of no kind.
    var title: String? { self == .other ? nil : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
