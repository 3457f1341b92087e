// swift-format-ignore-file
import ShazamKit
import AVFAudio

func signature(ofSine hz: Double, seconds: Double) throws -> SHSignature {
    guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1),
          let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(44_100)) else {
        throw SHError(.invalidAudioFormat)
    }
    let generator = SHSignatureGenerator()
    var written = 0
    while Double(written) / format.sampleRate < seconds {
        buffer.frameLength = buffer.frameCapacity
        let out = buffer.floatChannelData![0]
        for i in 0..<Int(buffer.frameLength) { out[i] = Float(sin(2 * .pi * hz * Double(written + i) / format.sampleRate)) }
        try generator.append(buffer, at: AVAudioTime(sampleTime: AVAudioFramePosition(written), atRate: format.sampleRate))
        written += Int(buffer.frameLength)
    }
    return generator.signature()
}
