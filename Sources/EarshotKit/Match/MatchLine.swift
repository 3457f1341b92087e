import Fingerprinting

/// The answers to a query file, as a line of JSON.
package struct MatchLine {
    private struct Answer {
        let match: Match
        let items: [SHMatchedMediaItem]
    }

    private let result: BatchMatcher.Result
    private let answers: [Answer]

    /// Takes the media items of the answers from the catalog, those that apply at the query's end.
    package init(_ result: BatchMatcher.Result, in catalog: SHCustomCatalog) {
        self.result = result
        let recognised = result.answers.map { match in
            let rate = 1 + match.timeSkew
            return RecognisedReference(
                match: match, items: catalog.items(ofReference: match.referenceIndex),
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
