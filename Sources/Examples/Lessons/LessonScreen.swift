import EarshotKit

extension SHMediaItemProperty {
    /// The question asked during the item's range: `String`.
    public static let question = SHMediaItemProperty("question")
    /// The answer from its announcement on: `Int`.
    public static let answer = SHMediaItemProperty("answer")
}

/// The screen beside a lesson at one moment.
public struct LessonScreen: Hashable, Sendable {
    /// The lesson; nil if none is recognised.
    public var title: String?
    /// The open question.
    public var question: String?
    /// Its answer, once announced.
    public var answer: Int?

    /// Makes an empty screen.
    public init() {}

    /// Takes each field from the first item that has it, because the latest event comes first.
    public init(_ match: SHMatch) {
        for item in match.mediaItems {
            title = title ?? item.title
            question = question ?? (item[.question] as? String)
            answer = answer ?? (item[.answer] as? Int)
        }
    }
}

extension LessonScreen: CustomStringConvertible {
    /// One line with lesson, question and answer.
    public var description: String {
        guard title != nil || question != nil else { return "(no lesson)" }
        return [title, question, answer.map { "= \($0)" }].compactMap(\.self).joined(separator: " | ")
    }
}
