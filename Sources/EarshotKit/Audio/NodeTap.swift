import Synchronization

/// Gathers a node's sound into buffers of one size and hands them on.
///
/// Sendable: the block is called on the thread that records. There may be two of them for a moment, when the block itself
/// stops the engine and starts it again; what they share is behind the lock.
final class NodeTap: @unchecked Sendable {
    private let bufferFrames: Int
    private let conversion: Mutex<EngineSoundConversion>
    private let block: AVAudioNodeTapBlock

    init(bufferFrames: Int, format: AVAudioFormat, block: @escaping AVAudioNodeTapBlock) {
        self.bufferFrames = bufferFrames
        self.block = block
        conversion = Mutex(EngineSoundConversion(to: format))
    }

    /// Takes the sound that follows; `isCurrent` says whether the tap has not been removed meanwhile.
    func take(_ sound: EngineSound, while isCurrent: () -> Bool) {
        let pieces = conversion.withLock { conversion in
            conversion.add(sound)
            return (0..<conversion.readyFrames / bufferFrames).map { _ in conversion.next(bufferFrames) }
        }
        for piece in pieces {
            guard isCurrent(),
                let buffer = AVAudioPCMBuffer(
                    pcmFormat: piece.format, frameCapacity: AVAudioFrameCount(bufferFrames))
            else { return }
            piece.planes.withUnsafeBufferPointer { buffer.write($0, frames: bufferFrames, at: 0) }
            block(
                buffer,
                AVAudioTime(
                    hostTime: piece.hostTime, sampleTime: AVAudioFramePosition(piece.firstFrame),
                    atRate: piece.format.sampleRate))
        }
    }
}
