import AudioCore
import Foundation
import Studies

/// The shared parts of episodes for other programs.
struct EpisodeExport {
    private let findings: EpisodeFindings
    private let skipped: Set<EpisodeFindings.Kind>

    /// - Parameter skipped: What edit lists skip.
    init(_ findings: EpisodeFindings, skipping skipped: Set<EpisodeFindings.Kind>) {
        self.findings = findings
        self.skipped = skipped
    }

    /// All parts with their places, and the chapters of each file.
    var json: String {
        get throws {
            let columns = Table(EpisodeReport.columns(findings))
            let parts = findings.parts.enumerated().map { number, part -> JSONObject in
                let places = zip(findings.kinds(of: part), part.places).map(columns.object)
                return [
                    "number": number + 1, "kind": findings.kind(of: part).rawValue,
                    "files": part.episodes.count, "lengthSeconds": part.lengthSeconds, "places": places,
                ]
            }
            let files = findings.episodes.enumerated().map { index, episode -> JSONObject in
                let chapters = findings.chapters(of: index).map { chapter -> JSONObject in
                    [
                        "title": Self.title(chapter), "kind": chapter.kind.rawValue,
                        "part": chapter.part + 1, "startSeconds": chapter.seconds.lowerBound,
                        "endSeconds": chapter.seconds.upperBound,
                    ]
                }
                return [
                    "file": episode.id, "durationSeconds": episode.durationSeconds,
                    "toldApartSeconds": findings.toldApartSeconds(of: index), "chapters": chapters,
                ]
            }
            let unreadable = findings.unreadable.map { ["file": $0.id, "reason": $0.message] as JSONObject }
            return try JSONText.pretty(
                ["files": files, "parts": parts, "unreadable": unreadable] as JSONObject)
        }
    }

    /// For each episode its chapters as FFmpeg and mpv read them, and an edit list as Kodi and MPlayer read it.
    ///
    /// The files have the names and folders of the episodes, below `chapters`.
    var chapterFiles: [ReportFile] {
        zip(findings.episodes.indices, names).flatMap { index, name in
            let chapters = findings.chapters(of: index)
            let edits = edits(chapters)
            return [
                ReportFile(
                    "chapters/\(name).ffmetadata",
                    Self.metadata(chapters, durationSeconds: findings.episodes[index].durationSeconds))
            ] + (edits.isEmpty ? [] : [ReportFile("chapters/\(name).edl", edits)])
        }
    }

    static func title(_ chapter: EpisodeFindings.Chapter) -> String {
        chapter.kind.title ?? "Part \(chapter.part + 1)"
    }

    /// Chapters without gaps: what no other file has is an `Episode`.
    private static func metadata(_ chapters: [EpisodeFindings.Chapter], durationSeconds: Double) -> String {
        let own = (0..<max(0, durationSeconds)).pieces(outside: chapters.map(\.seconds))
            .filter { $0.length >= EpisodeFindings.shortestChapter }.map { ($0, "Episode") }
        let all = (own + chapters.map { ($0.seconds, title($0)) }).sorted {
            $0.0.lowerBound < $1.0.lowerBound
        }
        func milliseconds(_ seconds: Double) -> Int { Int(bounded: (seconds * 1000).rounded()) }
        return
            ([";FFMETADATA1"]
            + all.flatMap { seconds, title in
                [
                    "[CHAPTER]", "TIMEBASE=1/1000", "START=\(milliseconds(seconds.lowerBound))",
                    "END=\(milliseconds(seconds.upperBound))", "title=\(title)",
                ]
            }).joined(separator: "\n") + "\n"
    }

    /// A line for each chapter: action 3 skips it once, as a break for advertisements; action 2 marks the beginning.
    private func edits(_ chapters: [EpisodeFindings.Chapter]) -> String {
        chapters.map { chapter in
            let (start, end) = (chapter.seconds.lowerBound, chapter.seconds.upperBound)
            return skipped.contains(chapter.kind)
                ? String(format: "%.3f\t%.3f\t3\n", start, end)
                : String(format: "%.3f\t%.3f\t2\n", start, start)
        }.joined()
    }

    /// The paths of the episodes below their common folder, without extension where that is unique.
    private var names: [String] {
        let folders = findings.episodes.map {
            ($0.id as NSString).deletingLastPathComponent.split(separator: "/").map(String.init)
        }
        var shared = folders.first ?? []
        for folder in folders {
            shared = Array(zip(shared, folder).prefix { $0 == $1 }.map(\.0))
        }
        let paths = zip(findings.episodes, folders).map { episode, folder in
            (folder.dropFirst(shared.count) + [(episode.id as NSString).lastPathComponent])
                .map { $0 == ".." ? "_" : $0 }.joined(separator: "/")
        }
        let counts = Dictionary(grouping: paths) { ($0 as NSString).deletingPathExtension }
        return paths.map { path in
            let short = (path as NSString).deletingPathExtension
            return counts[short]?.count == 1 ? short : path
        }
    }
}
