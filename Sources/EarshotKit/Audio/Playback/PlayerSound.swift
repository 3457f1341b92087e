/// A buffer or a part of a file, read piece by piece in the format of a player.
///
/// Not thread-safe: the player that has it reads it. A file that cannot be read further ends there.
final class PlayerSound: @unchecked Sendable {
    // Sendable: see above.
    private static let blockFrames = 4096

    private let format: AVAudioFormat
    /// Reads some frames from one on, as planes; no frames at the end.
    private let read: (_ first: Int, _ count: Int) -> (planes: [Float], frames: Int)
    private var nextFrame = 0
    private var hasEnded = false
    private var output: AVAudioFormat?
    private var conversion: PlaneConversion?

    /// Takes the valid frames of a buffer, which must not change until it was played.
    init(_ buffer: AVAudioPCMBuffer) {
        format = buffer.format
        read = { first, count in
            let frames = first..<min(first + count, Int(buffer.frameLength))
            return (buffer.planes(frames), frames.count)
        }
    }

    /// Takes a part of a file, which is opened again; nil takes all of it.
    init(_ file: AVAudioFile, startingFrame: AVAudioFramePosition = 0, frameCount: AVAudioFrameCount? = nil) {
        format = file.processingFormat
        let file = try? AVAudioFile(
            forReading: file.url, commonFormat: format.commonFormat, interleaved: format.isInterleaved)
        // Here, because the thread that renders must not decode all that comes before.
        if startingFrame > 0 { file?.seek(to: startingFrame) }
        let most = frameCount.map(Int.init) ?? .max
        let buffer = AVAudioPCMBuffer(
            pcmFormat: format, frameCapacity: AVAudioFrameCount(Self.blockFrames))
        read = { first, count in
            guard let file, let buffer, first < most else { return ([], 0) }
            let position = startingFrame + AVAudioFramePosition(first)
            if file.framePosition != position { file.framePosition = position }
            let count = AVAudioFrameCount(min(count, most - first, Self.blockFrames))
            buffer.frameLength = 0
            // The first read at a damaged place has the frames before it and throws.
            try? file.read(into: buffer, frameCount: count)
            return (buffer.planes(), Int(buffer.frameLength))
        }
    }

    /// The next frames as planes; fewer only at the end.
    func next(_ frames: Int, in output: AVAudioFormat) -> (planes: [Float], frames: Int) {
        if self.output != output {
            self.output = output
            conversion = PlaneConversion(from: format, to: output, downmix: true)
        }
        guard let conversion else { return ([], 0) }
        // One frame more tells whether the sound has ended.
        while !hasEnded, conversion.readyFrames <= frames {
            let piece = read(nextFrame, Self.blockFrames)
            nextFrame += piece.frames
            if piece.frames == 0 {
                hasEnded = true
                conversion.finish()
            } else {
                conversion.process(piece.planes, frames: piece.frames)
            }
        }
        let count = min(frames, conversion.readyFrames)
        return (conversion.take(count), count)
    }

    /// Whether all of it has been read.
    var isOver: Bool { hasEnded && (conversion?.readyFrames ?? 0) == 0 || output != nil && conversion == nil }

    /// Whether it has ended without a frame.
    var isEmpty: Bool { isOver && nextFrame == 0 }

    func rewind() {
        nextFrame = 0
        hasEnded = false
        conversion?.reset()
    }
}
