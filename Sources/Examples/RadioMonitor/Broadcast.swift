import EarshotKit

/// Reads a broadcast block by block, from files or raw samples.
enum Broadcast {
    private static let framesPerBlock: AVAudioFrameCount = 16_384

    /// Reads an audio file.
    ///
    /// - Throws: `AVFAudioError` if it is damaged or no audio.
    static func read(_ file: URL, _ receive: (AVAudioPCMBuffer) -> Void) throws {
        let file = try AVAudioFile(forReading: file)
        while true {
            let buffer = try buffer(file.processingFormat)
            do {
                try file.read(into: buffer)
            } catch let error as AVFAudioError where error.code == .endOfFile {
                return
            }
            receive(buffer)
        }
    }

    /// Reads raw interleaved samples to the end, without a partial last frame.
    ///
    /// - Parameter format: Interleaved 16-bit integers or 32-bit floats in this machine's byte order.
    /// - Throws: `CocoaError` if reading fails.
    static func read(raw input: FileHandle, _ format: AVAudioFormat, _ receive: (AVAudioPCMBuffer) -> Void)
        throws
    {
        let sampleBytes = format.commonFormat == .pcmFormatInt16 ? 2 : 4
        let frameBytes = sampleBytes * Int(format.channelCount)
        var pending = Data()
        while let more = try input.read(upToCount: Int(framesPerBlock) * frameBytes - pending.count),
            !more.isEmpty
        {
            pending += more
            let frames = pending.count / frameBytes
            let buffer = try buffer(format)
            buffer.frameLength = AVAudioFrameCount(frames)
            let samples: UnsafeMutableRawPointer? =
                buffer.int16ChannelData.map { UnsafeMutableRawPointer($0[0]) }
                ?? buffer.floatChannelData.map { UnsafeMutableRawPointer($0[0]) }
            guard let samples else { throw SHError(.invalidAudioFormat) }
            pending.copyBytes(
                to: UnsafeMutableRawBufferPointer(start: samples, count: frames * frameBytes),
                from: pending.startIndex..<(pending.startIndex + frames * frameBytes))
            pending = Data(pending.dropFirst(frames * frameBytes))
            receive(buffer)
        }
    }

    private static func buffer(_ format: AVAudioFormat) throws -> AVAudioPCMBuffer {
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: framesPerBlock) else {
            throw SHError(.invalidAudioFormat)
        }
        return buffer
    }
}
