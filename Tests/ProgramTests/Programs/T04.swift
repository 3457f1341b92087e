// swift-format-ignore-file
import ShazamKit
import AVFAudio

func signature(ofFile url: URL) throws -> SHSignature {
    let file = try AVAudioFile(forReading: url)
    guard let target = AVAudioFormat(commonFormat: .pcmFormatFloat32, sampleRate: 48_000, channels: 1, interleaved: false),
          let converter = AVAudioConverter(from: file.processingFormat, to: target),
          let inBuf = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 16_384),
          let outBuf = AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 32_768) else { throw SHError(.invalidAudioFormat) }
    let generator = SHSignatureGenerator()
    var failure: NSError?
    loop: while true {
        let status = converter.convert(to: outBuf, error: &failure) { _, state in
            do { try file.read(into: inBuf); state.pointee = .haveData; return inBuf }
            catch {
                state.pointee = file.framePosition >= file.length ? .endOfStream : .noDataNow
                return nil
            }
        }
        switch status {
        case .haveData: try generator.append(outBuf, at: nil)
        case .inputRanDry: try generator.append(outBuf, at: nil); break loop
        default: break loop
        }
        inBuf.frameLength = 0; outBuf.frameLength = 0
    }
    return generator.signature()
}
