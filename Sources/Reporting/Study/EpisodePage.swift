// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Evaluation
import Foundation
import Studies

extension EpisodeReport {
    /// The parts with a colour of their own.
    private static let colours = 6
    /// The parts whose places are on the page.
    private static let listedParts = 40

    var page: FigurePage {
        FigurePage(
            title: "Shared parts of \(findings.episodes.count.text("file"))", verdict: verdict,
            scope:
                "A part is a stretch that two or more files have in common. Kinds follow from places only: a part in the "
                + "first third of most files that have it is an intro, in the last third credits.",
            sections: [bars, table].filter { !findings.parts.isEmpty || $0.id == "episodes" },
            notes: remarks, provenance: ProvenanceContent(withoutPlan: origin),
            files:
                "parts.csv and parts.json hold every place of every part, pairs.csv every passage that two files share. "
                + "The folder chapters holds chapters and an edit list for each file.")
    }

    private var verdict: String {
        let most = findings.parts.first.map { part in
            "\(findings.kind(of: part).title ?? "One") of \(NumberText.seconds(part.lengthSeconds)) "
                + "\(part.episodes.count == findings.episodes.count ? "in all" : "in \(part.episodes.count)")"
        }
        return "\(title)\(most.map { ". \($0)" } ?? "")."
    }

    private var bars: FigureSection {
        let longest = max(1, findings.episodes.map(\.durationSeconds).max() ?? 1)
        let step = [60, 300, 600, 1800, 3600].first { longest / $0 <= 12 } ?? longest
        let more = findings.parts.count - Self.colours
        return FigureSection(
            id: "episodes", title: "Episodes",
            text:
                "All bars have one scale, with rules \(NumberText.plain(step / 60))\(NumberText.blank)min apart. Times are the first and last "
                + "second of a part in minutes of the file.",
            legend: findings.parts.prefix(Self.colours).enumerated().map { number, part in
                (
                    style: Self.style(number),
                    text: "\(name(number)), \(NumberText.seconds(part.lengthSeconds)), "
                        + part.episodes.count.text("file")
                )
            } + (more > 0 ? [(style: Self.style(Self.colours), text: more.text("other part"))] : []),
            timeLines: findings.episodes.indices.map { timeLine(of: $0, longest: longest, step: step) })
    }

    private func timeLine(of episode: Int, longest: Double, step: Double) -> TimeLine {
        let duration = findings.episodes[episode].durationSeconds
        let places = findings.parts.enumerated().flatMap { number, part in
            part.places.filter { $0.episode == episode }.map { (number: number, seconds: $0.seconds) }
        }
        func words(_ place: (number: Int, seconds: Range<Double>)) -> String {
            "\(name(place.number)) \(NumberText.clock(place.seconds.lowerBound))–"
                + NumberText.clock(place.seconds.upperBound)
        }
        // Long parts first, so that those within them are on top.
        let blocks = places.sorted { $0.seconds.length > $1.seconds.length }.map { place in
            TimeLine.Block(
                start: place.seconds.lowerBound, width: max(place.seconds.length, longest / 900), top: 4,
                height: 44, style: Self.style(place.number), words: words(place))
        }
        let marked = places.filter { $0.number < Self.colours }.sorted {
            ($0.seconds.lowerBound, $0.number) < ($1.seconds.lowerBound, $1.number)
        }
        return TimeLine(
            title: (findings.episodes[episode].id as NSString).lastPathComponent,
            spoken: places.isEmpty ? "No shared part" : marked.map(words).joined(separator: ", "),
            length: longest,
            blocks: [
                TimeLine.Block(
                    start: 0, width: duration, top: 4, height: 44, style: "whole",
                    words: NumberText.clock(duration))
            ] + blocks,
            rules: Array(stride(from: step, to: longest, by: step)),
            marks: marked.map { (style: Self.style($0.number), text: words($0)) }, isNamed: true)
    }

    private static func style(_ number: Int) -> String { number < colours ? "part\(number)" : "more" }

    private func name(_ number: Int) -> String {
        findings.kind(of: findings.parts[number]).title.map { "\($0) (\(number + 1))" }
            ?? "Part \(number + 1)"
    }

    private var table: FigureSection {
        let shown = findings.parts.prefix(Self.listedParts)
        let rest = findings.parts.count - shown.count
        return FigureSection(
            id: "parts", title: "Parts",
            text:
                "Within a part all its files are right, so a matcher must return every one. The last column says when 5 s "
                + "of audio have one right answer only: from which time after the part.",
            remarks: rest > 0 ? ["\(rest.text("more part")) are in parts.csv."] : [],
            tables: [
                FigureTable(
                    "Parts", columns: ["Part", "Kind", "Length", "Files", "Starts", "Distinguished"],
                    styles: [1: "text"], rows: shown.enumerated().map { ["\($0 + 1)"] + cells(of: $1) })
            ],
            folds: shown.enumerated().map { number, part in
                FigureFold(
                    summary: "\(name(number)), \(part.episodes.count.text("file"))", notes: advice(part),
                    tables: [
                        FigureTable(
                            name(number), columns: ["File", "Start", "End", "Spread of ends"],
                            rows: part.places.map { place in
                                [
                                    findings.episodes[place.episode].id,
                                    NumberText.clock(place.seconds.lowerBound),
                                    NumberText.clock(place.seconds.upperBound),
                                    NumberText.seconds(place.spreadSeconds),
                                ]
                            })
                    ])
            })
    }

    /// The ways to distinguish the files of a part.
    private func advice(_ part: EpisodeFindings.Part) -> [String] {
        let advice = EpisodeAdvice(part, in: findings)
        let length = NumberText.length(EpisodeSearch.trialSeconds)
        let last = NumberText.length(EpisodeSearch.trialTails.last ?? 0)
        var lines: [String] = []
        switch advice.waiting {
        case .seconds(let tail):
            lines.append(
                "A longer query distinguishes the files: each was the only answer to \(length) that end "
                    + "\(NumberText.length(tail)) after the part.")
        case .unknown(let files):
            lines.append(
                "A longer query does not distinguish all: \(length) that end up to \(last) after the part were not "
                    + "enough for \(names(files)).")
        case .nothingFollows:
            lines.append("Nothing follows the part, so no longer query distinguishes the files.")
        }
        if !advice.nothingElse.isEmpty { lines.append("Nothing else is in \(names(advice.nothingElse)).") }
        if advice.isTagged {
            lines.append("The files play it at different speeds, so these distinguish them already.")
        } else if let spacing = advice.tagSpacing {
            lines.append(
                "If each file can be played at a speed of its own, \(NumberText.plain(spacing)) % apart, the speed "
                    + "distinguishes up to \(IntroDesign.episodes(taggedAt: spacing)) files.")
        } else {
            lines.append("Speeds of their own have no room for \(part.episodes.count) files.")
        }
        return lines
    }
}
