import AudioCore
import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

extension AnswerLine {
    /// The name of a file in ``text(nameWidth:)``.
    static func name(of path: String) -> String {
        VisibleText.field((path as NSString).lastPathComponent)
    }

    /// The lines for people: of a file one for each answer, of a stream one.
    func text(nameWidth: Int = 0) -> [String] {
        switch question {
        case .file(let path, let kind): lines(named: Self.name(of: path), nameWidth, kind)
        case .stream(let seconds): ["\(Self.time(seconds))  \(heard)"]
        }
    }

    /// Name, title, reference time at the query's first sample, confidence, time to answer.
    ///
    /// Of a passage also when it begins and ends; its reference time is that of its beginning.
    private func lines(
        named name: String, _ nameWidth: Int, _ kind: BatchMatcher.Result.Kind
    ) -> [String] {
        let name = Self.padded(name, to: nameWidth)
        if let error { return ["\(name)  error: \(VisibleText.field(error))"] }
        let time = kind.milliseconds.map { "  \(Int(bounded: $0.rounded())) ms" } ?? ""
        let related = related.map {
            Self.padded("", to: nameWidth)
                + "  related to \(VisibleText.field($0.title)) at \(Self.time($0.matchOffset))"
                + "  \(Self.percent($0.confidence)): the same music, perhaps another recording"
        }
        guard !answers.isEmpty else { return ["\(name)  no match\(time)"] + related }
        return answers.enumerated().map { number, answer in
            let match = answer.match
            let passage = kind.isRecording ? match.queryRange : nil
            let isFirst = number == 0 || kind.isRecording
            return (isFirst ? name : Self.padded("", to: nameWidth))
                + Self.span(passage.map { [$0.lowerBound, $0.upperBound].map(Self.time) })
                + Self.span(answer.timesOfDay) + "  " + Self.padded(VisibleText.field(answer.title), to: 24)
                + "  at \(Self.time(passage == nil ? match.offsetSeconds : match.referenceRange?.lowerBound ?? 0))"
                + Self.skews(frequency: match.frequencySkew, time: match.timeSkew)
                + "  \(Self.percent(match.confidence))" + (number == 0 ? time : "")
        } + related
    }

    private static func span(_ ends: [String]?) -> String {
        ends.map { "  " + $0.joined(separator: " – ") } ?? ""
    }

    /// The titles of media items with the reference times that are heard.
    private var heard: String {
        if let error { return "error: \(VisibleText.field(error))" }
        guard !answers.isEmpty else { return "nothing recognised" }
        return answers.flatMap(\.items).map { item in
            VisibleText.field(item.title ?? item.referenceID)
                + " at \(Self.time((item.predictedCurrentMatchOffset * 1000).rounded() / 1000))"
                + Self.skews(frequency: Double(item.frequencySkew), time: Double(item.timeSkew))
                + "  \(Self.percent(Double(item.confidence)))"
        }.joined(separator: "; ")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Minutes and seconds, as `1:05.250`; a negative time has a minus sign.
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "?" }
        let milliseconds = Int(bounded: (min(abs(seconds), 1e9) * 1000).rounded())
        let sign = seconds < 0 && milliseconds > 0 ? "−" : ""
        return sign + "\(milliseconds / 60_000):"
            + String(format: "%02d.%03d", milliseconds / 1000 % 60, milliseconds % 1000)
    }

    /// The skews that are not 0 to a tenth of a percent.
    private static func skews(frequency: Double, time: Double) -> String {
        [("pitch", frequency), ("tempo", time)].compactMap { name, skew in
            let percent = (skew * 1000).rounded() / 10
            return percent == 0 || !percent.isFinite
                ? nil : "  \(name) \(percent > 0 ? "+" : "−")\(abs(percent)) %"
        }.joined()
    }

    /// A probability that reads 100 % only where it is 1.
    private static func percent(_ probability: Double) -> String {
        let percent = probability < 1 ? min(99.9, (probability * 1000).rounded() / 10) : 100
        return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
    }
}
