import AudioIO

/// Converts rate and channels of planes of floats that arrive block by block.
///
/// One channel becomes all channels; otherwise channel k stays channel k, those beyond are left out and those missing are
/// silent. With `downmix`, what becomes one channel is the mean of all. Rates are converted by ``StreamingResampler``, without
/// delay, and how the input is cut into blocks changes no bit.
final class PlaneConversion {
    /// The frames that can be taken.
    var readyFrames: Int { (carriers.first?.ready.count ?? 0) - head }

    private let inputChannels: Int
    private let outputChannels: Int
    private let downmixes: Bool
    private var carriers: [Carrier]
    /// The frames taken already that still lie before the ready ones.
    private var head = 0

    /// Prepares the way from one format to another; nil when the rates differ by more than a factor of 256.
    init?(from input: AVAudioFormat, to output: AVAudioFormat, downmix: Bool) {
        inputChannels = Int(input.channelCount)
        outputChannels = Int(output.channelCount)
        downmixes = downmix && outputChannels == 1 && inputChannels > 1
        carriers = []
        let ratio = output.sampleRate / input.sampleRate
        for _ in 0..<(downmixes ? 1 : min(inputChannels, outputChannels)) {
            guard let carrier = Carrier(ratio: ratio) else { return nil }
            carriers.append(carrier)
        }
    }

    /// Takes `frames` frames of the input's channels, plane after plane.
    func process(_ planes: [Float], frames: Int) {
        planes.withUnsafeBufferPointer { planes in
            if downmixes {
                let scale = 1 / Float(inputChannels)
                let mean = (0..<frames).map { frame in
                    var sum: Float = 0
                    for channel in 0..<inputChannels { sum += planes[channel * frames + frame] }
                    return sum * scale
                }
                mean.withUnsafeBufferPointer { carriers[0].process($0) }
                return
            }
            for (channel, carrier) in carriers.enumerated() {
                carrier.process(
                    UnsafeBufferPointer(rebasing: planes[channel * frames..<(channel + 1) * frames]))
            }
        }
    }

    /// Makes ready what the resamplers still hold, and starts afresh.
    func finish() {
        for carrier in carriers { carrier.finish() }
    }

    /// Forgets all that has not been taken.
    func reset() {
        finish()
        for carrier in carriers { carrier.ready.removeAll() }
        head = 0
    }

    /// Takes the next `frames` frames, of those that are ready, as planes of the output's channels.
    func take(_ frames: Int) -> [Float] {
        precondition(frames <= readyFrames, "\(frames) frames asked of \(readyFrames)")
        var planes: [Float] = []
        planes.reserveCapacity(frames * outputChannels)
        for channel in 0..<outputChannels {
            let source = inputChannels == 1 ? 0 : channel
            if source < carriers.count {
                planes += carriers[source].ready[head..<head + frames]
            } else {
                planes += repeatElement(0, count: frames)
            }
        }
        head += frames
        // Moved up seldom, so that small pieces of a long block cost no more than their own length.
        if head * 2 > carriers[0].ready.count {
            for carrier in carriers { carrier.ready.removeFirst(head) }
            head = 0
        }
        return planes
    }

    /// One channel on its way.
    private final class Carrier {
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

        func finish() {
            resampler?.finish(into: &ready)
        }
    }
}
