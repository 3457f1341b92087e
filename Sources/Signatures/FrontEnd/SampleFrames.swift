import AudioCore

/// Frames of all channels in their original layout, valid for one call.
package struct SampleFrames {
    package enum Layout {
        /// Plane after plane, each of the given length.
        case planar(UnsafePointer<Float>, planeLength: Int)
        case interleaved(UnsafePointer<Float>)
        /// In frame order, as 16-bit integers.
        case interleavedInt16(UnsafePointer<Int16>)
    }

    package let layout: Layout
    package let channelCount: Int
    package let frameCount: Int

    package func dropping(_ start: Int) -> SampleFrames {
        let layout: Layout =
            switch self.layout {
            case .planar(let samples, let length): .planar(samples + start, planeLength: length)
            case .interleaved(let samples): .interleaved(samples + start * channelCount)
            case .interleavedInt16(let samples): .interleavedInt16(samples + start * channelCount)
            }
        return SampleFrames(layout: layout, channelCount: channelCount, frameCount: frameCount - start)
    }

    /// Copies `count` frames of one channel to `target`, as floats of the range −1…1.
    package func copy(channel: Int, count: Int, to target: UnsafeMutablePointer<Float>) {
        switch layout {
        case .planar(let samples, let length): target.update(from: samples + channel * length, count: count)
        case .interleaved(let samples):
            for frame in 0..<count { target[frame] = samples[frame * channelCount + channel] }
        case .interleavedInt16(let samples):
            for frame in 0..<count {
                target[frame] = Float(samples[frame * channelCount + channel]) * InterleavedSamples.int16Scale
            }
        }
    }

    /// One sample, as a float of the range −1…1.
    package func sample(frame: Int, channel: Int) -> Float {
        switch layout {
        case .planar(let samples, let length): samples[channel * length + frame]
        case .interleaved(let samples): samples[frame * channelCount + channel]
        case .interleavedInt16(let samples):
            Float(samples[frame * channelCount + channel]) * InterleavedSamples.int16Scale
        }
    }
}

extension SampleFrames {
    /// Lends the frames of audio in memory; none if it is empty.
    package static func with<Failure: Error>(
        _ audio: AudioBuffer, _ body: (SampleFrames) throws(Failure) -> Void
    ) throws(Failure) {
        let (channelCount, frameCount) = (audio.channelCount, audio.frameCount)
        try audio.samples.withUnsafeBufferPointer { samples throws(Failure) in
            guard let base = samples.baseAddress else { return }
            try body(
                SampleFrames(
                    layout: .planar(base, planeLength: frameCount), channelCount: channelCount,
                    frameCount: frameCount))
        }
    }

    /// The frames of a block of a file; nil when it is empty.
    package init?(_ samples: InterleavedSamples, channelCount: Int) {
        switch samples {
        case .float(let samples):
            guard let base = samples.baseAddress else { return nil }
            layout = .interleaved(base)
        case .int16(let samples):
            guard let base = samples.baseAddress else { return nil }
            layout = .interleavedInt16(base)
        }
        self.channelCount = channelCount
        frameCount = samples.count / channelCount
    }
}
