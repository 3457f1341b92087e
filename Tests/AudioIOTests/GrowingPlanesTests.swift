import AudioCore
import AudioIO
import Testing

struct GrowingPlanesTests {
    @Test(arguments: [1, 2, 3], [0, 1, 999, 1000, 1001, 70_000, 1 << 40])
    func anyPromisedLengthGivesTheSameSamples(channelCount: Int, promisedFrames: Int) {
        let frames = 1000
        let samples = (0..<(frames * channelCount)).map { Float($0) }
        var planes = GrowingPlanes(channelCount: channelCount, expectedFrames: promisedFrames)
        samples.withUnsafeBufferPointer { samples in
            for start in stride(from: 0, to: frames, by: 300) {
                let block = samples[(start * channelCount)..<(min(frames, start + 300) * channelCount)]
                planes.append(.float(UnsafeBufferPointer(rebasing: block)))
            }
            #expect(
                planes.audio(sampleRate: 8000)
                    == AudioBuffer(interleaved: samples, sampleRate: 8000, channelCount: channelCount))
        }
    }
}
