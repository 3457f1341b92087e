import Fingerprinting

/// The answers to a query file, as a line of JSON or as text.
package struct MatchLine {
    private struct Answer {
        let match: Match
        let items: [SHMatchedMediaItem]
    }

    private let result: BatchMatcher.Result
    private let answers: [Answer]

    /// Takes the media items of the answers from the catalog, those that apply at the query's end.
    package init(_ result: BatchMatcher.Result, in catalog: SHCatalog) {
        self.result = result
        let recognised = result.answers.map { match in
            let rate = 1 + match.timeSkew
            return RecognisedReference(
                match: match, items: catalog.items(of: match),
                showsAll: catalog.showsAllItems,
                line: PlaybackLine(
                    clock: .continuous, atSeconds: 0,
                    positionSeconds: match.offsetSeconds + (result.durationSeconds ?? 0) * rate, rate: rate))
        }
        let items = Dictionary(
            grouping: RecognisedReference.mediaItems(of: recognised, atSeconds: 0), by: \.referenceID)
        answers = result.answers.compactMap { match in
            guard let items = items[match.referenceID] ?? (catalog.showsAllItems ? [] : nil) else {
                return nil
            }
            return Answer(match: match, items: items)
        }
    }

    /// The line, without its end.
    ///
    /// `{"query": path, "durationSeconds": s, "answers": [{"id", "title", "matchOffset", "frequencySkew", "timeSkew",
    /// "score", "confidence", "items"}], "matchMilliseconds": t, "error": null or text}`; length and time are null after
    /// an error. `matchOffset` is the reference time at the query's first sample, in seconds. `title` is the first title
    /// of the items, or the identifier.
    package var json: String {
        let answers = self.answers.map { answer in
            let match = answer.match
            return JSONText.object([
                ("id", JSONText.string(match.referenceID)),
                (
                    "title",
                    JSONText.string(answer.items.lazy.compactMap(\.title).first ?? match.referenceID)
                ),
                ("matchOffset", JSONText.number(match.offsetSeconds)),
                ("frequencySkew", JSONText.number(match.frequencySkew)),
                ("timeSkew", JSONText.number(match.timeSkew)),
                ("score", JSONText.number(match.score)),
                ("confidence", JSONText.number(match.confidence)),
                ("items", JSONText.items(answer.items)),
            ])
        }
        return JSONText.object([
            ("query", JSONText.string(result.query)),
            ("durationSeconds", JSONText.number(result.durationSeconds)),
            ("answers", "[" + answers.joined(separator: ", ") + "]"),
            ("matchMilliseconds", JSONText.number(result.matchMilliseconds)),
            ("error", result.error.map(JSONText.string) ?? "null"),
        ])
    }
}

extension MatchLine {
    /// The name of a query in ``text(nameWidth:)``: that of its file.
    package static func name(of path: String) -> String {
        AnswerText.visible((path as NSString).lastPathComponent)
    }

    /// A line for each answer: name, title, reference time at the query's first sample, confidence, time to answer.
    package func text(nameWidth: Int) -> [String] {
        let name = AnswerText.padded(Self.name(of: result.query), to: nameWidth)
        if let error = result.error { return ["\(name)  error: \(AnswerText.visible(error))"] }
        let time = result.matchMilliseconds.map { "  \(Int($0.rounded())) ms" } ?? ""
        guard !answers.isEmpty else { return ["\(name)  no match\(time)"] }
        return answers.enumerated().map { number, answer in
            let match = answer.match
            let title = answer.items.lazy.compactMap(\.title).first ?? match.referenceID
            return (number == 0 ? name : AnswerText.padded("", to: nameWidth)) + "  "
                + AnswerText.padded(AnswerText.visible(title), to: 24)
                + "  at \(AnswerText.time(match.offsetSeconds))"
                + AnswerText.skews(frequency: Double(match.frequencySkew), time: Double(match.timeSkew))
                + "  \(AnswerText.percent(match.confidence))" + (number == 0 ? time : "")
        }
    }
}

/// The words of answers on a terminal.
enum AnswerText {
    /// The text without what could move a terminal's cursor, colour it or turn its neighbours around.
    static func visible(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                visible.append("\u{FFFD}")
            default: visible.append(scalar)
            }
        }
        return String(visible)
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Minutes and seconds, as `1:05.250`; a negative time has a minus sign.
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "?" }
        let milliseconds = Int((min(abs(seconds), 1e9) * 1000).rounded())
        let sign = seconds < 0 && milliseconds > 0 ? "−" : ""
        return sign + "\(milliseconds / 60_000):"
            + String(format: "%02d.%03d", milliseconds / 1000 % 60, milliseconds % 1000)
    }

    /// The skews that are not 0 to a tenth of a percent.
    static func skews(frequency: Double, time: Double) -> String {
        [("pitch", frequency), ("tempo", time)].compactMap { name, skew in
            let percent = (skew * 1000).rounded() / 10
            return percent == 0 || !percent.isFinite
                ? nil : "  \(name) \(percent > 0 ? "+" : "−")\(abs(percent)) %"
        }.joined()
    }

    /// A probability that reads 100 % only where it is 1.
    static func percent(_ probability: Double) -> String {
        let percent = probability < 1 ? min(99.9, (probability * 1000).rounded() / 10) : 100
        return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
    }
}

/// Writes JSON with the keys in the order given.
private enum JSONText {
    static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { string($0.key) + ": " + $0.value }.joined(separator: ", ") + "}"
    }

    static func items(_ items: [SHMediaItem]) -> String {
        let texts = items.filter { !$0.stored.properties.isEmpty }.map { item in
            let properties = item.plainProperties.sorted { $0.key < $1.key }
            return object([
                ("id", string(item.id.uuidString)),
                ("properties", object(properties.map { ($0.key, encoded($0.value)) })),
            ])
        }
        return "[" + texts.joined(separator: ", ") + "]"
    }

    static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "null" }
        return "\(value)"
    }

    static func string(_ text: String) -> String { encoded(text) }

    private static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and finite numbers always have a form.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
