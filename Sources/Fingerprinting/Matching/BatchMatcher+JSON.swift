extension BatchMatcher.Result {
    /// The result as one line of JSON, without the end of the line.
    ///
    /// `{"query": path, "durationSeconds": s, "answers": [{"id", "title", "matchOffset", "frequencySkew", "timeSkew",
    /// "score", "confidence"}], "matchMilliseconds": t, "error": null or text}`; length and time are null after an error.
    /// `matchOffset` is the reference time at the query's first sample, in seconds.
    package var json: String {
        let answers = self.answers.map { answer in
            JSONText.object([
                ("id", JSONText.string(answer.id)), ("title", JSONText.string(answer.title)),
                ("matchOffset", JSONText.number(answer.match.offsetSeconds)),
                ("frequencySkew", JSONText.number(answer.match.frequencySkew)),
                ("timeSkew", JSONText.number(answer.match.timeSkew)),
                ("score", JSONText.number(answer.match.score)),
                ("confidence", JSONText.number(answer.match.confidence)),
            ])
        }
        return JSONText.object([
            ("query", JSONText.string(query)), ("durationSeconds", JSONText.number(durationSeconds)),
            ("answers", "[" + answers.joined(separator: ", ") + "]"),
            ("matchMilliseconds", JSONText.number(matchMilliseconds)),
            ("error", error.map(JSONText.string) ?? "null"),
        ])
    }
}

/// Writes JSON with the keys in the order given.
private enum JSONText {
    static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { string($0.key) + ": " + $0.value }.joined(separator: ", ") + "}"
    }

    static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "null" }
        return "\(value)"
    }

    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
