import AudioCore
import Degradations
import EarshotKit
import FoodMath
import KitTestSupport
import Synchronization

/// A played lesson and the changes of its screen.
struct LessonPlayback: Sendable {
    /// A screen and its time, in seconds of the playback.
    struct Change: Sendable {
        /// The new screen.
        let screen: LessonScreen
        /// The time of the change.
        let seconds: Double
    }

    /// The changes in order.
    let changes: [Change]
    private let quiz: Quiz
    private let timeMap: TimeMap

    /// Plays a lesson to the matcher as fast as possible.
    ///
    /// - Parameters:
    /// - clip: The degraded lesson. The reference begins at 0 s.
    /// - signature: The original lesson.
    /// - secondsPerBuffer: The resolution of screen changes.
    init(of clip: Clip, signature: SHSignature, quiz: Quiz, secondsPerBuffer: Double = 0.02) throws {
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(signature, representing: quiz.items)
        let clock = ManualClock()
        let changes = Mutex<[Change]>([])
        let changed: @Sendable (LessonScreen) -> Void = { screen in
            let seconds = clock.now.elapsed / .seconds(1)
            changes.withLock { $0.append(Change(screen: screen, seconds: seconds)) }
        }
        let matcher = LessonMatcher(catalog: catalog, clock: PlaybackClock(clock), show: changed)
        let audio = clip.audio
        let framesPerBuffer = max(1, Int(secondsPerBuffer * Double(audio.sampleRate)))
        for start in stride(from: 0, to: audio.frameCount, by: framesPerBuffer) {
            let end = min(audio.frameCount, start + framesPerBuffer)
            let buffer = audio.frames(start..<end).pcmBuffer()
            clock.advance(by: .seconds(Double(end - start) / Double(audio.sampleRate)))
            matcher.match(
                buffer,
                at: AVAudioTime(
                    sampleTime: AVAudioFramePosition(start), atRate: Double(audio.sampleRate)))
        }
        self.changes = changes.withLock { $0 }
        self.quiz = quiz
        timeMap = clip.timeMap
    }

    /// The error of each start and end of a question or answer, in seconds.
    ///
    /// Positive means late. Infinite means not shown exactly once.
    var errorsSeconds: [Double] {
        quiz.questions.flatMap { question in
            let asked = spans { $0.question == question.text }
            let answered = spans { $0.question == question.text && $0.answer == question.answer }
            return errors(asked, from: question.askedSeconds, to: question.endSeconds)
                + errors(answered, from: question.answeredSeconds, to: question.endSeconds)
        }
    }

    private func errors(
        _ spans: [(start: Double, end: Double)], from start: Double, to end: Double
    ) -> [Double] {
        guard spans.count == 1 else { return [.infinity, .infinity] }
        return [spans[0].start - timeMap.inverse(start), spans[0].end - timeMap.inverse(end)]
    }

    /// The time spans for which `isShown` is true.
    private func spans(where isShown: (LessonScreen) -> Bool) -> [(start: Double, end: Double)] {
        var spans: [(start: Double, end: Double)] = []
        var start: Double?
        for change in changes {
            switch (start, isShown(change.screen)) {
            case (nil, true): start = change.seconds
            case (let begin?, false):
                spans.append((begin, change.seconds))
                start = nil
            default: break
            }
        }
        if let start { spans.append((start, .infinity)) }
        return spans
    }
}
