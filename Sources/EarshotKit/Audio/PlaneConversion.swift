import AudioIO

/// Converts rate and channels of float planes, block by block.
///
/// Mono is copied to all output channels. Otherwise channel k stays channel k, extra channels are dropped and
/// missing ones are silent. With `downmix`, mono output is the mean of all. ``StreamingResampler`` converts
/// the rate without delay. Block sizes do not affect any bit of the output.
final class PlaneConversion {
    var readyFrames: Int { (resamplers.first?.ready.count ?? 0) - head }

    private let inputChannels: Int
    private let outputChannels: Int
    private let downmixes: Bool
    private var resamplers: [ChannelResampler]
    /// The frames at the start of `ready` that have been taken.
    private var head = 0

    /// Nil if the rates differ by more than a factor of 256.
    init?(from input: AVAudioFormat, to output: AVAudioFormat, downmix: Bool) {
        inputChannels = Int(input.channelCount)
        outputChannels = Int(output.channelCount)
        downmixes = downmix && outputChannels == 1 && inputChannels > 1
        resamplers = []
        let ratio = output.sampleRate / input.sampleRate
        for _ in 0..<(downmixes ? 1 : min(inputChannels, outputChannels)) {
            guard let resampler = ChannelResampler(ratio: ratio) else { return nil }
            resamplers.append(resampler)
        }
    }

    /// Takes `frames` frames of each input channel, one channel after another.
    func process(_ planes: [Float], frames: Int) {
        planes.withUnsafeBufferPointer { planes in
            if downmixes {
                let scale = 1 / Float(inputChannels)
                let mean = (0..<frames).map { frame in
                    var sum: Float = 0
                    for channel in 0..<inputChannels { sum += planes[channel * frames + frame] }
                    return sum * scale
                }
                mean.withUnsafeBufferPointer { resamplers[0].process($0) }
                return
            }
            for (channel, resampler) in resamplers.enumerated() {
                resampler.process(
                    UnsafeBufferPointer(rebasing: planes[channel * frames..<(channel + 1) * frames]))
            }
        }
    }

    /// Flushes the resamplers and restarts them.
    func finish() {
        for resampler in resamplers { resampler.finish() }
    }

    func reset() {
        finish()
        for resampler in resamplers { resampler.ready.removeAll() }
        head = 0
    }

    /// Takes the next `frames` ready frames as planes of the output's channels.
    func take(_ frames: Int) -> [Float] {
        precondition(frames <= readyFrames, "\(frames) frames requested, \(readyFrames) ready")
        var planes: [Float] = []
        planes.reserveCapacity(frames * outputChannels)
        for channel in 0..<outputChannels {
            let source = inputChannels == 1 ? 0 : channel
            if source < resamplers.count {
                planes += resamplers[source].ready[head..<head + frames]
            } else {
                planes += repeatElement(0, count: frames)
            }
        }
        head += frames
        // Compacts rarely, so that small reads of a long block stay cheap.
        if head * 2 > resamplers[0].ready.count {
            for resampler in resamplers { resampler.ready.removeFirst(head) }
            head = 0
        }
        return planes
    }

    private final class ChannelResampler {
        var ready: [Float] = []
        private var resampler: StreamingResampler?

        init?(ratio: Double) {
            guard ratio != 1 else { return }
            guard let resampler = try? StreamingResampler(ratio: ratio) else { return nil }
            self.resampler = consume resampler
        }

        func process(_ samples: UnsafeBufferPointer<Float>) {
            if resampler == nil {
                ready.append(contentsOf: samples)
            } else {
                resampler?.process(samples, into: &ready)
            }
        }

        func finish() { resampler?.finish(into: &ready) }
    }
}
