import AudioCore
import Degradations
import EarshotKit
import FoodMath
import KitTestSupport
import Metrics
import TestSupport
import Testing

/// The lesson's screen changes on time under every degradation.
@Suite struct FoodMathTests {
    private static let lesson = SpokenLesson.render(seconds: 600)
    private static let signature = Result { try SHSignature.of(lesson) }

    @Test(arguments: [
        DegradationChain(),
        DegradationChain(steps: [AnyDegradation(Speed(percent: 3))]),
        DegradationChain(steps: [AnyDegradation(Babble(voices: 6, snrDecibels: 5, seed: 3))]),
    ])
    func screensChangeWithin50Milliseconds(_ chain: DegradationChain) throws {
        let quiz = Quiz(lessonSeconds: 600)
        #expect(quiz.questions.count == 29)
        let second = chain.sourceSeconds(forSeconds: 1000) - chain.sourceSeconds(forSeconds: 999)
        let clip = try chain.render(
            source: Self.lesson, startSeconds: 0, lengthSeconds: 600 / second, material: SpokenMaterial())
        let playback = try LessonPlayback(of: clip, signature: Self.signature.get(), quiz: quiz)
        let errors = playback.errorsSeconds
        #expect(errors.count == 4 * quiz.questions.count)
        #expect(try #require(errors.map(abs).max()) <= 0.05)
        // Only the lesson and its questions were shown, each with and without its answer.
        let shown = Set(playback.changes.map(\.screen).filter { $0.question != nil })
        #expect(shown.count == 2 * quiz.questions.count)
        #expect(playback.changes.allSatisfy { $0.screen.title == "Food Math" })
    }

    @Test func theLatestEventOfAFieldIsShown() async throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            SongBook.signatures[0],
            representing: [
                SHMediaItem(properties: [.title: "Lesson"]),
                SHMediaItem(properties: [.question: "2 + 3", .timeRanges: [5.0..<20.0]]),
                SHMediaItem(properties: [.question: "3 + 4", .timeRanges: [10.0..<15.0]]),
                SHMediaItem(properties: [.answer: 7, .timeRanges: [12.0..<15.0]]),
            ])
        for (end, question, answer) in [
            (4.0, nil, nil), (8, "2 + 3", nil), (11, "3 + 4", nil), (14, "3 + 4", 7), (18, "2 + 3", nil),
        ] as [(Double, String?, Int?)] {
            // The clock stops at the end of the query.
            let session = SHSession(catalog: catalog, clock: PlaybackClock(ManualClock()))
            let query = try SongBook.query(0, from: end - 4, seconds: 4)
            guard case .match(let match) = await session.result(from: query) else {
                Issue.record("no match at \(end) s")
                continue
            }
            let screen = LessonScreen(match)
            #expect(screen.title == "Lesson")
            #expect(screen.question == question && screen.answer == answer)
        }
    }

    @Test func theProgramNeedsNoRecording() throws {
        let lines = try ExampleProcess("FoodMath", []).finish().split(separator: "\n")
        #expect(
            lines.map { $0.split(separator: ":", maxSplits: 1).last.map(String.init) } == [
                " Food Math", " Food Math | 2 apples and 3 apples",
                " Food Math | 2 apples and 3 apples | = 5",
                " Food Math",
            ])
    }

    @Test func theProgramShowsTheTablesItems() throws {
        let folder = try TemporaryFolder()
        let lesson = folder.file("lesson.wav")
        try SongBook.songs[1].render().write(to: lesson)
        let table = """
            title,timeRanges,question,answer
            Food Math,,,
            ,10.5..<20.25,2 apples and 3 apples,
            ,14..<20.25,,5

            """
        try table.write(toFile: folder.file("lesson.csv"), atomically: true, encoding: .utf8)
        let output = try ExampleProcess("FoodMath", [lesson, folder.file("lesson.csv"), lesson]).finish()
        let lines = output.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
        #expect(
            lines.map { $0.last.map(String.init) } == [
                " Food Math", " Food Math | 2 apples and 3 apples",
                " Food Math | 2 apples and 3 apples | = 5",
                " Food Math",
            ])
        for (line, seconds) in zip(lines.dropFirst(), [10.5, 14, 20.25]) {
            let shown = try #require(Double(line[0].prefix { $0 != " " }))
            #expect((seconds - 0.01...seconds + 0.03).contains(shown))
        }
    }
}
