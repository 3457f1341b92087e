import ShazamKit

extension SHMediaItemProperty {
    /// The question asked during the item's range: `String`.
    package static let question = SHMediaItemProperty("question")
    /// The answer from its announcement on: `Int`.
    package static let answer = SHMediaItemProperty("answer")
}

/// The screen beside a lesson at one moment.
package struct LessonScreen: Hashable, Sendable {
    /// The lesson; nil if none is recognised.
    package var title: String?
    /// The open question.
    package var question: String?
    /// Its answer, once announced.
    package var answer: Int?

    package init() {}

    /// Takes each field from the first item that has it, because the latest event comes first.
    package init(_ match: SHMatch) {
        for item in match.mediaItems {
            title = title ?? item.title
            question = question ?? (item[.question] as? String)
            answer = answer ?? (item[.answer] as? Int)
        }
    }
}

extension LessonScreen: CustomStringConvertible {
    package var description: String {
        guard title != nil || question != nil else { return "(no lesson)" }
        return [title, question, answer.map { "= \($0)" }].compactMap(\.self).joined(separator: " | ")
    }
}
