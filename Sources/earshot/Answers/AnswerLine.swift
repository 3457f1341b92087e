import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

/// A line of `match` or `listen`: what was looked up, and the references that were recognised.
///
/// `{"query": path, "matchMilliseconds": t}` of a file or `{"heardSeconds": s}` of a stream, and of both
/// `{"durationSeconds": s, "answers": […], "error": null or text}`. The query is the file, or the audio of a stream
/// that was looked up last. Its duration and the time to answer are null after an error. A file has `"related": […]` if
/// there are references of the same music in another recording.
struct AnswerLine {
    enum Question {
        /// A query, or a recording of which each answer is a passage.
        case file(String, BatchMatcher.Result.Kind)
        /// A stream of which so much was heard.
        case stream(heardSeconds: Double)
    }

    let question: Question
    let durationSeconds: Double?
    /// Best first.
    let answers: [Answer]
    /// References of the same music in another recording, best first.
    var related: [Relative] = []
    let error: String?

    /// The path of the query; nil for a stream.
    var path: String? { if case .file(let path, _) = question { path } else { nil } }
}

extension Encodable {
    /// A line of JSON, without its end; keys in alphabetical order.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// JSON in indented lines; keys in alphabetical order.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension Double {
    /// The value, rounded to a number of digits after the point.
    fileprivate func rounded(digits: Int) -> Double {
        let scale = pow(10, Double(digits))
        let scaled = (self * scale).rounded() / scale
        return scaled.isFinite ? scaled + 0 : self
    }
}

extension AnswerLine {
    init(_ result: BatchMatcher.Result, answers: [Answer], related: [Relative] = []) {
        question = .file(result.query, result.kind)
        durationSeconds = result.durationSeconds
        self.answers = answers
        self.related = related
        error = result.error
    }

    /// A passage of a recording that is still searched.
    init(passage: [Answer], of path: String) {
        self.init(question: .file(path, .recording), durationSeconds: nil, answers: passage, error: nil)
    }

    /// A line of a list that names no query; its place is the query.
    init(_ fault: PathList.Fault) {
        self.init(
            question: .file(fault.place, .query(milliseconds: nil)), durationSeconds: nil, answers: [],
            error: "\(fault)")
    }

    init(_ outcome: SHSession.Result, heardSeconds: Double) {
        question = .stream(heardSeconds: heardSeconds.rounded(digits: 3))
        switch outcome {
        case .match(let match):
            durationSeconds = match.querySignature.duration
            answers = Answer.all(of: match.mediaItems)
            error = nil
        case .noMatch(let query):
            durationSeconds = query.duration
            answers = []
            error = nil
        case .error(let error, _):
            durationSeconds = nil
            answers = []
            self.error = error.localizedDescription
        }
    }
}

extension AnswerLine: Encodable {
    private enum Key: CodingKey {
        case query, matchMilliseconds, heardSeconds, durationSeconds, answers, related, error
    }

    func encode(to encoder: any Encoder) throws {
        var line = encoder.container(keyedBy: Key.self)
        switch question {
        case .file(let path, let kind):
            try line.encode(path, forKey: .query)
            try line.encode(kind.milliseconds?.rounded(digits: 3), forKey: .matchMilliseconds)
        case .stream(let seconds): try line.encode(seconds, forKey: .heardSeconds)
        }
        try line.encode(durationSeconds, forKey: .durationSeconds)
        try line.encode(answers, forKey: .answers)
        if !related.isEmpty { try line.encode(related, forKey: .related) }
        try line.encode(error, forKey: .error)
        try encodeOldNames(to: encoder)
    }
}

extension AnswerLine {
    /// A reference of the same music in another recording; the members are those of an answer.
    struct Relative: Encodable {
        let reference: String
        let title: String
        let matchOffset: Double
        let confidence: Double

        /// Nil for a match that is not related.
        init?(_ match: Match, title: String?) {
            guard let probability = match.relatedConfidence, match.offsetSeconds.isFinite else { return nil }
            reference = match.referenceID
            self.title = title ?? match.referenceID
            matchOffset = match.offsetSeconds.rounded(digits: Answer.secondDigits)
            confidence = probability.rounded(digits: 8)
        }
    }

    /// A recognised reference, with its media items that apply at the end of the query.
    ///
    /// The members have the names of `SHMatchedMediaItem`'s properties. `title` is the first title of the items, or the
    /// identifier. A number that is not finite is null.
    struct Answer: Encodable {
        let match: Match
        /// At least one; the one of a reference without an item that applies has no properties.
        private(set) var items: [SHMatchedMediaItem]
        /// When the query began, if that is known.
        let clock: WallClock?

        /// The answers that items belong to, in their order.
        static func all(of items: [SHMatchedMediaItem], _ clock: WallClock? = nil) -> [Answer] {
            var answers: [Answer] = []
            for item in items {
                // A copy of the last answer would copy its items each time.
                if let last = answers.last?.match, last == item.match {
                    answers[answers.count - 1].items.append(item)
                } else if let match = item.match {
                    answers.append(Answer(match: match, items: [item], clock: clock))
                }
            }
            return answers
        }

        /// The times of day at which it begins and ends; nil if they are not known.
        var timesOfDay: [String]? { clock.flatMap { match.queryRange.map($0.times) } }

        var title: String { items.lazy.compactMap(\.title).first ?? match.referenceID }

        /// To a microsecond, which is finer than any answer is.
        fileprivate static let secondDigits = 6

        private enum Key: CodingKey {
            case reference, title, matchOffset, predictedCurrentMatchOffset, frequencySkew, timeSkew
            case queryRange, referenceRange, segments, timesOfDay, alternatives, score, confidence, items
        }

        func encode(to encoder: any Encoder) throws {
            var answer = encoder.container(keyedBy: Key.self)
            try answer.encode(match.referenceID, forKey: .reference)
            try answer.encode(title, forKey: .title)
            let numbers: [(Key, Double?, digits: Int)] = [
                (.matchOffset, match.offsetSeconds, Self.secondDigits),
                (.predictedCurrentMatchOffset, items.first?.predictedCurrentMatchOffset, Self.secondDigits),
                (.frequencySkew, match.frequencySkew, 8), (.timeSkew, match.timeSkew, 8),
                (.score, match.score, 6), (.confidence, match.confidence, 8),
            ]
            for (key, number, digits) in numbers {
                let finite = number.flatMap { $0.isFinite ? $0 : nil }
                try answer.encode(finite?.rounded(digits: digits), forKey: key)
            }
            for (key, range) in [(Key.queryRange, match.queryRange), (.referenceRange, match.referenceRange)]
            {
                let ends = range.map { [$0.lowerBound, $0.upperBound] }
                try answer.encodeIfPresent(
                    ends?.map { $0.rounded(digits: Self.secondDigits) }, forKey: key)
            }
            if match.segments.count > 1 {
                try answer.encode(match.segments.map(SegmentMember.init), forKey: .segments)
            }
            try answer.encodeIfPresent(timesOfDay, forKey: .timesOfDay)
            if !match.alternatives.isEmpty {
                let offsets = match.alternatives.map { $0.offsetSeconds.rounded(digits: Self.secondDigits) }
                try answer.encode(offsets, forKey: .alternatives)
            }
            try answer.encode(
                items.filter { !$0.stored.properties.isEmpty }.map(ItemMember.init), forKey: .items)
            try encodeOldNames(to: encoder)
        }
    }

    private struct SegmentMember: Encodable {
        let queryRange: [Double]
        let referenceRange: [Double]
        let frequencySkew: Double
        let timeSkew: Double

        init(_ segment: Match.Segment) {
            func ends(_ range: Range<Double>) -> [Double] {
                [range.lowerBound, range.upperBound].map { $0.rounded(digits: Answer.secondDigits) }
            }
            queryRange = ends(segment.queryRange)
            referenceRange = ends(segment.referenceRange)
            frequencySkew = segment.frequencySkew.rounded(digits: 8)
            timeSkew = segment.timeSkew.rounded(digits: 8)
        }
    }

    private struct ItemMember: Encodable {
        let id: String
        let properties: [String: ReadableValue]

        init(_ item: SHMediaItem) {
            id = item.id.uuidString
            properties = item.plainProperties
        }
    }
}
