/// Samples between the one who brings them and the one who takes them; the oldest are lost when there are too many.
package struct SampleBacklog {
    private var samples: [Float] = []
    /// The place of the oldest sample that was not taken.
    private var start = 0
    private let channelCount: Int
    private let mostSamples: Int

    /// Makes an empty backlog of interleaved samples that keeps at most `mostFrames` frames.
    package init(channelCount: Int, mostFrames: Int) {
        self.channelCount = channelCount
        mostSamples = mostFrames * channelCount
    }

    /// The number of frames that wait.
    package var frameCount: Int { (samples.count - start) / channelCount }

    /// Adds whole frames of samples in memory; where there is none they are silence.
    package mutating func append(_ bytes: UnsafeRawPointer?, byteCount: Int) {
        let end = samples.count
        samples.append(contentsOf: repeatElement(0, count: byteCount / 4))
        if let bytes {
            samples.withUnsafeMutableBytes {
                $0[(end * 4)...].copyBytes(
                    from: UnsafeRawBufferPointer(start: bytes, count: byteCount / 4 * 4))
            }
        }
        start = max(start, samples.count - mostSamples)
        // Each sample is moved once at most on average.
        if start > mostSamples {
            samples.removeSubrange(..<start)
            start = 0
        }
    }

    /// Takes the oldest samples, at most `count`.
    package mutating func take(_ count: Int) -> ArraySlice<Float> {
        let end = min(start + count, samples.count)
        defer {
            start = end
            if start == samples.count {
                samples.removeAll(keepingCapacity: true)
                start = 0
            }
        }
        return samples[start..<end]
    }
}
