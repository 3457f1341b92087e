/// A queue of interleaved samples that drops the oldest when it is full.
package struct SampleBacklog {
    private var samples: [Float] = []
    /// The index of the oldest sample in the queue.
    private var start = 0
    private let channelCount: Int
    private let mostSamples: Int

    package init(channelCount: Int, mostFrames: Int) {
        self.channelCount = channelCount
        mostSamples = mostFrames * channelCount
    }

    package var frameCount: Int { (samples.count - start) / channelCount }

    /// Adds whole frames; nil adds silence.
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
        // On average, each sample moves at most once.
        if start > mostSamples {
            samples.removeSubrange(..<start)
            start = 0
        }
    }

    /// Removes and returns the oldest samples, at most `count`.
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
