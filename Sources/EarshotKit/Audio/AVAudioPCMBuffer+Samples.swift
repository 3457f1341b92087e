import AudioCore
import AudioIO

extension AVAudioPCMBuffer {
    /// All valid frames as planes of floats at the format's rate; integers are scaled to −1…1.
    ///
    /// Samples that are not finite come as they are.
    /// - Throws: `SHError` 100 when the rate is not a whole number of hertz from 1,000 to 768,000.
    package func samples() throws -> AudioBuffer {
        guard let rate = Int(exactly: format.sampleRate), AudioFile.sampleRates.contains(rate) else {
            throw SHError(
                .invalidAudioFormat,
                message: "the audio has \(format.sampleRate) Hz; expected whole hertz from "
                    + "\(AudioFile.sampleRates.lowerBound) to \(AudioFile.sampleRates.upperBound)")
        }
        return AudioBuffer(
            samples: planes(), sampleRate: rate, channelCount: Int(format.channelCount))
    }

    /// All valid frames as floats, plane after plane.
    func planes() -> [Float] {
        if let data = floatChannelData { return planes(of: data) { $0 } }
        if let data = int16ChannelData { return planes(of: data) { Float($0) * 0x1p-15 } }
        if let data = int32ChannelData { return planes(of: data) { Float($0) * 0x1p-31 } }
        if let data = doubleChannelData { return planes(of: data) { Float($0) } }
        return []
    }

    /// Writes planes of floats, each of `frames` samples, from frame `start` on, and extends the length to their end.
    ///
    /// Integers are rounded and clipped at their range; what is not a number becomes 0.
    func write(_ planes: UnsafeBufferPointer<Float>, frames: Int, at start: Int) {
        precondition(start + frames <= Int(frameCapacity), "\(frames) frames do not fit at \(start)")
        if let data = floatChannelData { write(planes, frames, start, to: data) { $0 } }
        if let data = doubleChannelData { write(planes, frames, start, to: data) { Double($0) } }
        if let data = int16ChannelData {
            write(planes, frames, start, to: data) { Int16(Self.clipped($0, bits: 16)) }
        }
        if let data = int32ChannelData {
            write(planes, frames, start, to: data) { Int32(Self.clipped($0, bits: 32)) }
        }
        frameLength = AVAudioFrameCount(start + frames)
    }

    private func planes<Sample>(
        of data: UnsafePointer<UnsafeMutablePointer<Sample>>, _ float: (Sample) -> Float
    ) -> [Float] {
        let (frames, stride) = (Int(frameLength), stride)
        let count = frames * Int(format.channelCount)
        return [Float](unsafeUninitializedCapacity: count) { planes, initialised in
            for channel in 0..<Int(format.channelCount) {
                let source = data[channel]
                for frame in 0..<frames {
                    planes.initializeElement(
                        at: channel * frames + frame, to: float(source[frame * stride]))
                }
            }
            initialised = count
        }
    }

    private func write<Sample>(
        _ planes: UnsafeBufferPointer<Float>, _ frames: Int, _ start: Int,
        to data: UnsafePointer<UnsafeMutablePointer<Sample>>, _ sample: (Float) -> Sample
    ) {
        let stride = stride
        for channel in 0..<Int(format.channelCount) {
            let target = data[channel] + start * stride
            for frame in 0..<frames { target[frame * stride] = sample(planes[channel * frames + frame]) }
        }
    }

    private static func clipped(_ sample: Float, bits: Int) -> Double {
        let scale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        let level = (Double(sample) * scale).rounded()
        return level.isNaN ? 0 : min(scale - 1, max(-scale, level))
    }
}
