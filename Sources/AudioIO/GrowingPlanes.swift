import AudioCore

/// The samples of a file as planes, filled block by block; how many will come is expected but not believed.
package struct GrowingPlanes {
    private let channelCount: Int
    private let expectedFrames: Int
    /// The room in each plane, in frames.
    private var capacity: Int
    /// The frames that have come so far.
    package private(set) var frameCount = 0
    private var samples: [Float]

    /// Makes room for `expectedFrames`, but at first for no more than a file can cheaply be wrong about.
    package init(channelCount: Int, expectedFrames: Int) {
        self.channelCount = channelCount
        self.expectedFrames = expectedFrames
        capacity = min(max(0, expectedFrames), Self.maximumExpectedSamples / channelCount)
        samples = [Float](repeating: 0, count: capacity * channelCount)
    }

    /// Puts the next frames behind those that have come.
    package mutating func append(_ block: InterleavedSamples) {
        let frames = block.count / channelCount
        let needed = frameCount + frames
        if needed > capacity {
            lay(planesOf: min(max(2 * capacity, needed), expectedFrames >= needed ? expectedFrames : .max))
        }
        samples.withUnsafeMutableBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            block.copy(to: start + frameCount, stride: capacity, channelCount: channelCount)
        }
        frameCount += frames
    }

    /// The frames that came.
    package consuming func audio(sampleRate: Int) -> AudioBuffer {
        if frameCount != capacity { lay(planesOf: frameCount) }
        return AudioBuffer(samples: samples, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// 256 MiB of samples: 12 minutes of stereo at 44.1 kHz.
    private static let maximumExpectedSamples = 1 << 26

    /// Gives each plane room for `newCapacity` frames.
    private mutating func lay(planesOf newCapacity: Int) {
        var laid = [Float]()
        laid.reserveCapacity(newCapacity * channelCount)
        for channel in 0..<channelCount {
            let start = channel * capacity
            laid += samples[start..<(start + frameCount)]
            laid += repeatElement(0, count: newCapacity - frameCount)
        }
        samples = laid
        capacity = newCapacity
    }
}
