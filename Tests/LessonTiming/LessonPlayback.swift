import AudioCore
import Degradations
import EarshotKit
import KitTestSupport
import Lessons
import Synchronization

/// A lesson that was played to the app, and when its screen changed.
public struct LessonPlayback: Sendable {
    /// A screen, and when it was shown, in seconds of the playback.
    public struct Change: Sendable {
        /// What was shown.
        public let screen: LessonScreen
        /// When.
        public let seconds: Double
    }

    /// The screens in order.
    public let changes: [Change]
    private let quiz: Quiz
    private let timeMap: TimeMap

    /// Plays a lesson, perhaps degraded, to the app, as fast as it takes it.
    ///
    /// - Parameters:
    ///   - clip: the lesson as it is played, of which the reference begins at 0 s.
    ///   - signature: the lesson as it was made.
    ///   - secondsPerBuffer: the screen can change once in a buffer, as nothing happens between two of them.
    public init(of clip: Clip, signature: SHSignature, quiz: Quiz, secondsPerBuffer: Double = 0.02) throws {
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
            matcher.hear(
                buffer,
                at: AVAudioTime(
                    sampleTime: AVAudioFramePosition(start), atRate: Double(audio.sampleRate)))
        }
        self.changes = changes.withLock { $0 }
        self.quiz = quiz
        timeMap = clip.timeMap
    }

    /// How far each begin and end of a question and of an answer was from where it must have been, in seconds.
    ///
    /// Positive is late. Infinite for what was not shown, or was not shown just once.
    public var errorsSeconds: [Double] {
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

    /// When something was on the screen.
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
