import EarshotKit

extension SHMediaItemProperty {
    /// What is asked while the item is in range: `String`.
    public static let question = SHMediaItemProperty("question")
    /// The answer to the question, from when it is given: `Int`.
    public static let answer = SHMediaItemProperty("answer")
}

/// What the screen beside a lesson shows at one moment.
public struct LessonScreen: Hashable, Sendable {
    /// The lesson; nil while none is heard.
    public var title: String?
    /// The question that is open.
    public var question: String?
    /// Its answer, once it was given.
    public var answer: Int?

    /// An empty screen.
    public init() {}

    /// What the items of a match say; of each field the first one that has it counts, for the latest event comes first.
    public init(_ match: SHMatch) {
        for item in match.mediaItems {
            title = title ?? item.title
            question = question ?? (item[.question] as? String)
            answer = answer ?? (item[.answer] as? Int)
        }
    }
}

extension LessonScreen: CustomStringConvertible {
    /// One line: the lesson, the question and the answer.
    public var description: String {
        guard title != nil || question != nil else { return "(no lesson)" }
        return [title, question, answer.map { "= \($0)" }].compactMap(\.self).joined(separator: " | ")
    }
}
