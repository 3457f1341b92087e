import EarshotKit

/// The names that 0.1.0 has beside those of ``AnswerLine``, for programs that read lines of the commands as they were.
///
/// `match` called the reference of an answer `id`. `listen` had no `answers` but `items`, each with what is now of its
/// answer, and called the reference time that is heard `position`.
extension AnswerLine {
    private enum Key: CodingKey { case items }

    func encodeOldNames(to encoder: any Encoder) throws {
        guard case .stream = question else { return }
        var line = encoder.container(keyedBy: Key.self)
        try line.encode(answers.flatMap(\.items).map(HeardItem.init), forKey: .items)
    }

    private struct HeardItem: Encodable {
        let title: String?
        let subtitle: String?
        let id: String
        let reference: String
        let position: Double
        let frequencySkew: Float
        let timeSkew: Float
        let confidence: Float
        let properties: [String: ReadableValue]

        init(_ item: SHMatchedMediaItem) {
            title = item.title
            subtitle = item.subtitle
            id = item.id.uuidString
            reference = item.referenceID
            position = (item.predictedCurrentMatchOffset * 1000).rounded() / 1000
            frequencySkew = item.frequencySkew
            timeSkew = item.timeSkew
            confidence = item.confidence
            properties = item.plainProperties
        }
    }
}

extension AnswerLine.Answer {
    private enum Key: CodingKey { case id }

    func encodeOldNames(to encoder: any Encoder) throws {
        var answer = encoder.container(keyedBy: Key.self)
        try answer.encode(match.referenceID, forKey: .id)
    }
}
