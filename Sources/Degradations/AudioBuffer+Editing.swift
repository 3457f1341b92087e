import AudioCore

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

    mutating func scale(by factor: Float) {
        for channel in 0..<channelCount {
            withMutableChannel(channel) { plane in
                for frame in plane.indices { plane[frame] *= factor }
            }
        }
    }

    /// Throws unless there are samples and all of them are finite; `purpose` begins the message.
    func requireFiniteSamples(for purpose: String) throws {
        guard !isEmpty else {
            throw DegradationError(.unsuitableAudio, "\(purpose): the audio is empty")
        }
        for channel in 0..<channelCount {
            let bad = withChannel(channel) { plane in plane.firstIndex { !$0.isFinite } }
            if let bad {
                throw DegradationError(
                    .unsuitableAudio, "\(purpose): sample \(bad) of channel \(channel) is not a finite number"
                )
            }
        }
    }
}
