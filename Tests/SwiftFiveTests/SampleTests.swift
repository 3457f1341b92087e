import EarshotKit
import KitTestSupport
import TestSupport
import Testing

/// Programs that hand objects to queues compile only in Swift 5 mode, and run there.
@Suite(.tags(.timed)) struct SampleMicrophoneTests {
    /// The sample shows each question after its time, and only then.
    @MainActor @Test(.enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired))
    func theSamplesMatcherFollowsTheLesson() async throws {
        let lesson = ScoreSong(seed: 401, seconds: 40)
        let catalog = SHCustomCatalog()
        let items = stride(from: 2.0, to: 26, by: 4).map { start in
            SHMediaItem(properties: [.title: "From \(Int(start))", .timeRanges: [start..<(start + 4)]])
        }
        try catalog.addReferenceSignature(try .of(lesson.render()), representing: items)
        let matcher = Matcher()
        try matcher.match(catalog: catalog)
        let speaker = try Speaker(playing: lesson.render(from: 1, seconds: 30))
        defer { speaker.stop() }
        for question in Question.allQuestions {
            let end = ContinuousClock.now + .seconds(60)
            while matcher.result.question != question, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(matcher.result.question == question)
            #expect(try #require(matcher.result.mediaItem).predictedCurrentMatchOffset > question.offset)
        }
    }
}
