import AudioCore
import AudioIO
import Testing

/// Compares the backlog with an array of all samples.
struct SampleBacklogTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func theLatestSamplesComeInOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let channels = Int.random(in: 1...3, using: &generator)
        let mostFrames = Int.random(in: 1...50, using: &generator)
        var backlog = SampleBacklog(channelCount: channels, mostFrames: mostFrames)
        var expected: [Float] = []
        var next: Float = 1
        for _ in 0..<500 {
            let frames = Int.random(in: 0...30, using: &generator)
            if Bool.random(using: &generator) {
                let isSilent = Int.random(in: 0..<5, using: &generator) == 0
                let samples = (0..<frames * channels).map { isSilent ? 0 : next + Float($0) }
                next += Float(samples.count)
                samples.withUnsafeBytes {
                    backlog.append(isSilent ? nil : $0.baseAddress, byteCount: $0.count)
                }
                expected = (expected + samples).suffix(mostFrames * channels)
            } else {
                let count = min(frames * channels, expected.count)
                #expect(Array(backlog.take(frames * channels)) == Array(expected.prefix(count)))
                expected.removeFirst(count)
            }
            #expect(backlog.frameCount == expected.count / channels)
        }
    }
}
