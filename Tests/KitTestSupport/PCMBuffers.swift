import AudioCore
import EarshotKit

extension AudioBuffer {
    /// Copies the samples into a deinterleaved float buffer.
    public func pcmBuffer() -> AVAudioPCMBuffer {
        guard
            let format = AVAudioFormat(
                standardFormatWithSampleRate: Double(sampleRate), channels: AVAudioChannelCount(channelCount)),
            let buffer = AVAudioPCMBuffer(
                pcmFormat: format, frameCapacity: AVAudioFrameCount(max(1, frameCount))),
            let channels = buffer.floatChannelData
        else { preconditionFailure("no buffer of \(frameCount) frames") }
        buffer.frameLength = AVAudioFrameCount(frameCount)
        for index in 0..<channelCount {
            withChannel(index) { samples in
                for frame in 0..<frameCount { channels[index][frame] = samples[frame] }
            }
        }
        return buffer
    }

    /// Divides the samples into buffers of `frames` frames; the last may be shorter.
    public func pcmBuffers(ofFrames frames: Int) -> [AVAudioPCMBuffer] {
        stride(from: 0, to: frameCount, by: frames).map { start in
            self.frames(start..<min(start + frames, frameCount)).pcmBuffer()
        }
    }
}

extension SHSignature {
    /// Makes the signature of audio in memory with a generator.
    public static func of(_ audio: AudioBuffer) throws -> SHSignature {
        let generator = SHSignatureGenerator()
        try generator.append(audio.pcmBuffer(), at: nil)
        return generator.signature()
    }
}
