import EarshotKit
import Lessons

/// Questions and answers spread over a lesson, and when each begins and ends.
public struct Quiz: Sendable {
    /// A question with its answer; times are of the lesson, in seconds.
    public struct Question: Sendable {
        /// What is asked.
        public let text: String
        /// What is answered.
        public let answer: Int
        /// When it is asked.
        public let askedSeconds: Double
        /// When it is answered.
        public let answeredSeconds: Double
        /// When the next thing is talked about.
        public let endSeconds: Double
    }

    /// The questions, in order.
    public let questions: [Question]

    /// Makes a quiz for a lesson of a length: a question about every 20 s, none in the first 12 s.
    public init(lessonSeconds: Double) {
        var questions: [Question] = []
        var start = 12.0
        while start + 16 < lessonSeconds {
            let number = questions.count
            // At odd fractions of a second, so that buffers do not begin with them.
            let asked = start + 0.137 * Double(number % 7)
            questions.append(
                Question(
                    text: "\(number) apples and \(number + 2) apples", answer: 2 * number + 2,
                    askedSeconds: asked, answeredSeconds: asked + 6.31 + 0.2 * Double(number % 5),
                    endSeconds: asked + 11.77))
            start += 20.3
        }
        self.questions = questions
    }

    /// The media items of the lesson: the lesson itself, then questions and answers in range.
    public var items: [SHMediaItem] {
        [SHMediaItem(properties: [.title: "Food Math"])]
            + questions.flatMap { question in
                [
                    SHMediaItem(properties: [
                        .question: question.text,
                        .timeRanges: [question.askedSeconds..<question.endSeconds],
                    ]),
                    SHMediaItem(properties: [
                        .answer: question.answer,
                        .timeRanges: [question.answeredSeconds..<question.endSeconds],
                    ]),
                ]
            }
    }
}
