import EarshotKit
import FoodMath

/// Questions and answers at known times of a lesson.
struct Quiz: Sendable {
    /// A question with its answer; times are in seconds of the lesson.
    struct Question: Sendable {
        /// The question.
        let text: String
        /// The answer.
        let answer: Int
        /// The time of the question.
        let askedSeconds: Double
        /// The time of the answer.
        let answeredSeconds: Double
        /// The time at which both end.
        let endSeconds: Double
    }

    /// The questions in order.
    let questions: [Question]

    /// Makes a quiz with a question about every 20 s after the first 12 s.
    init(lessonSeconds: Double) {
        var questions: [Question] = []
        var start = 12.0
        while start + 16 < lessonSeconds {
            let number = questions.count
            // Odd fractions of a second, so that times differ from buffer starts.
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

    /// The media items of the lesson, its questions and its answers.
    var items: [SHMediaItem] {
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
