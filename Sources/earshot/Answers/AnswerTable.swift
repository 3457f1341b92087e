import EarshotKit
import Fingerprinting
import Foundation
import Reporting
import SystemIO

/// Prints answers in the form that was asked for.
struct AnswerPrinter {
    private let options: AnswerOptions<AnswerFormat>
    private let nameWidth: Int
    private var table: AnswerTable?

    /// - Parameter timesOfDay: Whether the answers have times of day.
    init(_ options: AnswerOptions<AnswerFormat>, nameWidth: Int, timesOfDay: Bool) {
        self.options = options
        self.nameWidth = nameWidth
        switch options.form {
        case .text, .jsonl: break
        case .csv: table = AnswerTable(.csv, timesOfDay: timesOfDay)
        case .labels: table = AnswerTable(.labels)
        case .cue: table = AnswerTable(.cue)
        }
    }

    mutating func print(_ line: AnswerLine) throws {
        if table != nil {
            if let error = line.error {
                // Most errors begin with the path.
                let path = line.path.map { error.hasPrefix($0 + ":") ? "" : $0 + ": " } ?? ""
                StandardError.print(path + error)
                if line.answers.isEmpty { return }
            }
            for text in table?.lines(of: line.answers, query: line.path ?? "") ?? [] {
                try StandardOutput.print(text)
            }
            return
        }
        for text in try options.isText ? line.text(nameWidth: nameWidth) : [line.jsonLine()] {
            try StandardOutput.print(options.isText && line.error != nil ? Ink.red(text) : text)
        }
    }
}

/// Answers as a table, as labels of an audio editor, or as a cue sheet.
struct AnswerTable {
    enum Form { case csv, labels, cue }

    private let form: Form
    private let timesOfDay: Bool
    private var isBegun = false
    private var query: String?
    private var track = 0

    init(_ form: Form, timesOfDay: Bool = false) {
        self.form = form
        self.timesOfDay = timesOfDay
    }

    /// The lines of a query's next answers.
    mutating func lines(of answers: [AnswerLine.Answer], query path: String) -> [String] {
        var lines: [String] = []
        if form == .csv, !isBegun {
            let columns = Self.columns + (timesOfDay ? ["beginTime", "endTime"] : [])
            lines.append(columns.joined(separator: ","))
        }
        isBegun = true
        if form == .cue, query != path {
            lines.append(
                "FILE \(CueSheet.quoted((path as NSString).lastPathComponent)) \(Self.cueType(of: path))")
            track = 0
        }
        query = path
        return lines + answers.flatMap { answer(of: $0, query: path) }
    }

    private static let columns = [
        "query", "beginSeconds", "endSeconds", "reference", "title", "referenceBeginSeconds",
        "referenceEndSeconds", "frequencySkew", "timeSkew", "score", "confidence",
    ]

    private mutating func answer(of answer: AnswerLine.Answer, query path: String) -> [String] {
        let match = answer.match
        guard let heard = match.queryRange, let reference = match.referenceRange else { return [] }
        switch form {
        case .csv:
            let texts = [path, match.referenceID, answer.title].map { CSVField.quoted(CSVField.shown($0)) }
            let numbers = [
                heard.lowerBound, heard.upperBound, reference.lowerBound, reference.upperBound,
            ].map { formatNumber($0, digits: 3) }
            let skews = [match.frequencySkew, match.timeSkew].map { formatNumber($0, digits: 5) }
            return [
                ([texts[0]] + numbers[..<2] + texts[1...] + numbers[2...] + skews + [
                    formatNumber(match.score, digits: 2), formatNumber(match.confidence, digits: 5),
                ] + (answer.timesOfDay ?? [])).joined(separator: ",")
            ]
        case .labels:
            let ends = [heard.lowerBound, heard.upperBound].map { formatNumber($0, digits: 3) }
            return [TabbedText.line(ends + [answer.title])]
        case .cue:
            // A cue sheet has two digits for a track.
            guard track < 99 else { return [] }
            track += 1
            let frames = Int(bounded: (heard.lowerBound * 75).rounded())
            return [
                String(format: "  TRACK %02d AUDIO", track), "    TITLE \(CueSheet.quoted(answer.title))",
                String(
                    format: "    INDEX 01 %02d:%02d:%02d", frames / 4500, frames / 75 % 60, frames % 75),
            ]
        }
    }

    /// Of a cue sheet's few types of files, WAVE stands for all that a player decodes.
    private static func cueType(of path: String) -> String {
        switch (path as NSString).pathExtension.lowercased() {
        case "mp3": "MP3"
        case "aif", "aifc", "aiff": "AIFF"
        default: "WAVE"
        }
    }
}
