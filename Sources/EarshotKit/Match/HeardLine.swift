/// One outcome of listening, as a line of JSON or as text.
package struct HeardLine: Encodable {
    package struct Item: Encodable {
        let title: String?
        let subtitle: String?
        let id: String
        let reference: String
        /// The reference time that is heard, in seconds.
        let position: Double
        /// f_heard / f_reference − 1.
        let frequencySkew: Float
        /// Reference seconds per second heard − 1.
        let timeSkew: Float
        /// 0…1.
        let confidence: Float
        let properties: [String: PlainValue]
    }

    let heardSeconds: Double
    package let items: [Item]
    let error: String?

    package init(_ outcome: SHSession.Result, heardSeconds: Double) {
        self.heardSeconds = (heardSeconds * 1000).rounded() / 1000
        switch outcome {
        case .match(let match):
            items = match.mediaItems.map { item in
                Item(
                    title: item.title, subtitle: item.subtitle, id: item.id.uuidString,
                    reference: item.referenceID,
                    position: (item.predictedCurrentMatchOffset * 1000).rounded() / 1000,
                    frequencySkew: item.frequencySkew, timeSkew: item.timeSkew, confidence: item.confidence,
                    properties: item.plainProperties)
            }
            error = nil
        case .noMatch:
            items = []
            error = nil
        case .error(let error, _):
            items = []
            self.error = error.localizedDescription
        }
    }

    /// The time heard, and what: titles with their reference times.
    package var text: String {
        let time = AnswerText.time(heardSeconds)
        if let error { return "\(time)  error: \(AnswerText.visible(error))" }
        guard !items.isEmpty else { return "\(time)  nothing recognised" }
        let words = items.map { item in
            AnswerText.visible(item.title ?? item.reference) + " at \(AnswerText.time(item.position))"
                + AnswerText.skews(frequency: Double(item.frequencySkew), time: Double(item.timeSkew))
                + "  \(AnswerText.percent(Double(item.confidence)))"
        }
        return "\(time)  " + words.joined(separator: "; ")
    }

    /// The line, without its end; keys in alphabetical order.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
