import AudioCore
import Foundation
import SignalProcessing

extension AudioBuffer {
    /// `count` frames from frame `start`, which may be negative; frames outside the buffer are silent.
    func excerpt(from start: Int, count: Int) -> AudioBuffer {
        let first = min(max(start, 0), frameCount)
        let last = max(first, min(start + count, frameCount))
        if first == start, last == start + count { return frames(first..<last) }
        return mapChannels { plane in
            var cut = [Float](repeating: 0, count: count)
            for frame in first..<last { cut[frame - start] = plane[frame] }
            return cut
        }
    }

    /// Changes the samples of every channel in place.
    mutating func changeChannels(_ change: (UnsafeMutableBufferPointer<Float>) -> Void) {
        for channel in 0..<channelCount { withMutableChannel(channel, change) }
    }

    mutating func scale(by factor: Float) {
        changeChannels { plane in for frame in plane.indices { plane[frame] *= factor } }
    }

    /// Multiplies all channels by `gains`, one for each frame.
    mutating func scale(by gains: [Float]) {
        changeChannels { plane in for frame in plane.indices { plane[frame] *= gains[frame] } }
    }

    /// Adds `factor` times the samples of `other`, which has as many frames; if it has one channel, to all channels.
    mutating func add(_ other: AudioBuffer, times factor: Float = 1) {
        for channel in 0..<channelCount {
            other.withChannel(other.channelCount == 1 ? 0 : channel) { added in
                withMutableChannel(channel) { plane in
                    for frame in plane.indices { plane[frame] += factor * added[frame] }
                }
            }
        }
    }

    /// The greatest magnitude over channels, frame by frame.
    var level: [Float] {
        var level = [Float](repeating: 0, count: frameCount)
        for channel in 0..<channelCount {
            withChannel(channel) { plane in
                for frame in plane.indices { level[frame] = max(level[frame], abs(plane[frame])) }
            }
        }
        return level
    }

    /// The greatest magnitude over channels at each frame and at three places between it and the next.
    ///
    /// Four times the rate is that of the true-peak meter of ITU-R BS.1770-5, annex 2.
    var truePeakLevel: [Float] {
        var level = level
        let reach = 8
        for place in [0.25, 0.5, 0.75] {
            let kernel = (1 - reach...reach).map { tap -> Float in
                let distance = Double.pi * (Double(tap) - place)
                return Float(sin(distance) / distance * pow(cos(distance / 2 / Double(reach)), 2))
            }
            for channel in 0..<channelCount {
                withChannel(channel) { plane in
                    for frame in plane.indices {
                        let first = frame + 1 - reach
                        var sum: Float = 0
                        for tap in max(0, -first)..<min(kernel.count, plane.count - first) {
                            sum += kernel[tap] * plane[first + tap]
                        }
                        level[frame] = max(level[frame], abs(sum))
                    }
                }
            }
        }
        return level
    }

    /// Throws unless there are samples and all of them are finite; `purpose` begins the message.
    func requireFiniteSamples(for purpose: String) throws {
        guard !isEmpty else { throw DegradationError.unsuitable("\(purpose): the audio is empty") }
        for channel in 0..<channelCount {
            let bad = withChannel(channel) { plane in plane.firstIndex { !$0.isFinite } }
            if let bad {
                throw DegradationError.unsuitable(
                    "\(purpose): sample \(bad) of channel \(channel) is not a finite number")
            }
        }
    }

    func resampled(to sampleRate: Int) throws -> AudioBuffer {
        try resampled(by: sampleRate, over: self.sampleRate, labelled: sampleRate)
    }

    /// `numerator / denominator` times as many samples at the same nominal rate.
    func resampled(lengthRatio numerator: Int, over denominator: Int) throws -> AudioBuffer {
        try resampled(by: numerator, over: denominator, labelled: sampleRate)
    }

    private func resampled(
        by numerator: Int, over denominator: Int, labelled newRate: Int
    ) throws -> AudioBuffer {
        guard numerator != denominator else { return self }
        guard let resampler = PolyphaseResampler.of(numerator, over: denominator) else {
            throw DegradationError.unsuitable(
                "the rate ratio \(numerator)/\(denominator) is not within 1/256...256")
        }
        let result = mapChannels(sampleRate: newRate) { resampler.resample($0) }
        guard !result.isEmpty else {
            throw DegradationError.unsuitable(
                "resampling leaves nothing of \(frameCount) frames at \(sampleRate) Hz")
        }
        return result
    }
}

extension FrameSource {
    /// `count` frames from frame `start`, which may be negative; frames outside the audio are silent.
    func excerpt(from start: Int, count: Int) throws -> AudioBuffer {
        let part = try (start..<start + count).clamped(to: 0..<frameCount)
        return try frames(part).excerpt(from: start - part.lowerBound, count: count)
    }
}
