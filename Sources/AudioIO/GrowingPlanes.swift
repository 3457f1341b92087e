import AudioCore

/// The planes of a file, filled block by block; the header's number of frames is only a hint.
package struct GrowingPlanes {
    private let channelCount: Int
    private let expectedFrames: Int
    private let mostFrames: Int
    private var capacity: Int
    package private(set) var frameCount = 0
    private var samples: [Float]

    /// Reserves memory for `expectedFrames`, but at most 256 MiB.
    ///
    /// - Parameter mostFrames: Memory for more frames is not reserved in advance.
    package init(channelCount: Int, expectedFrames: Int, mostFrames: Int = .max) {
        self.channelCount = channelCount
        self.expectedFrames = expectedFrames
        self.mostFrames = mostFrames
        capacity = min(max(0, expectedFrames), Self.maximumExpectedSamples / channelCount, mostFrames)
        samples = [Float](repeating: 0, count: capacity * channelCount)
    }

    package mutating func append(_ block: InterleavedSamples) {
        let frames = block.count / channelCount
        let needed = frameCount + frames
        if needed > capacity {
            let largest = min(expectedFrames >= needed ? expectedFrames : .max, max(mostFrames, needed))
            resize(to: min(max(2 * capacity, needed), largest))
        }
        samples.withUnsafeMutableBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            block.copy(to: start + frameCount, stride: capacity, channelCount: channelCount)
        }
        frameCount += frames
    }

    package consuming func audio(sampleRate: Int) -> AudioBuffer {
        if frameCount != capacity { resize(to: frameCount) }
        return AudioBuffer(samples: samples, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// 256 MiB, or 12 minutes of stereo at 44.1 kHz.
    private static let maximumExpectedSamples = 1 << 26

    private mutating func resize(to newCapacity: Int) {
        var resized = [Float]()
        resized.reserveCapacity(newCapacity * channelCount)
        for channel in 0..<channelCount {
            let start = channel * capacity
            resized += samples[start..<(start + frameCount)]
            resized += repeatElement(0, count: newCapacity - frameCount)
        }
        samples = resized
        capacity = newCapacity
    }
}
