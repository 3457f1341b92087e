import EarshotKit

/// A broadcast that is read block by block, from files or as raw samples.
enum Broadcast {
    private static let framesPerBlock: AVAudioFrameCount = 16_384

    /// Reads an audio file.
    ///
    /// - Throws: `AVFAudioError` when it is damaged or no audio.
    static func read(_ file: URL, _ hear: (AVAudioPCMBuffer) -> Void) throws {
        let file = try AVAudioFile(forReading: file)
        while true {
            let buffer = try buffer(file.processingFormat)
            do {
                try file.read(into: buffer)
            } catch let error as AVFAudioError where error.code == .endOfFile {
                return
            }
            hear(buffer)
        }
    }

    /// Reads raw interleaved samples until there are no more; what is left of a frame at the end is passed over.
    ///
    /// - Parameter format: interleaved 16-bit integers or 32-bit floats, in the byte order of this machine.
    /// - Throws: `CocoaError` when they cannot be read.
    static func read(raw input: FileHandle, _ format: AVAudioFormat, _ hear: (AVAudioPCMBuffer) -> Void)
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
            hear(buffer)
        }
    }

    private static func buffer(_ format: AVAudioFormat) throws -> AVAudioPCMBuffer {
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: framesPerBlock) else {
            throw SHError(.invalidAudioFormat)
        }
        return buffer
    }
}
