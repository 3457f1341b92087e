import EarshotKit

/// Hands a recording over as a microphone would: each buffer once the last of it was heard.
public struct RecordingPlayer {
    /// How fast the recording is played.
    public enum Pace: Sendable {
        /// A second in a second.
        case realTime
        /// As fast as the buffers are taken; the clock is moved on by what was heard.
        case driving(ManualClock)
    }

    private let file: AVAudioFile
    private let framesPerBuffer: AVAudioFrameCount

    /// Opens a recording.
    ///
    /// - Throws: `AVFAudioError` when the file cannot be read as audio.
    public init(_ recording: URL) throws {
        file = try AVAudioFile(forReading: recording)
        // A fiftieth of a second.
        framesPerBuffer = max(1, AVAudioFrameCount(file.processingFormat.sampleRate / 50))
    }

    /// Plays the recording from its beginning to its end.
    ///
    /// - Parameter hear: takes a buffer, which is its own to keep, and the time of its first frame.
    /// - Throws: `AVFAudioError` when the recording is damaged; `CancellationError`.
    public func play(
        _ pace: Pace, to hear: (AVAudioPCMBuffer, AVAudioTime) -> Void
    ) async throws {
        let start = ContinuousClock.now
        let rate = file.processingFormat.sampleRate
        file.framePosition = 0
        while let buffer = try next() {
            let end = Double(file.framePosition) / rate
            switch pace {
            case .realTime: try await Task.sleep(until: start + .seconds(end), clock: .continuous)
            case .driving(let clock): clock.advance(by: .seconds(Double(buffer.frameLength) / rate))
            }
            let first = file.framePosition - AVAudioFramePosition(buffer.frameLength)
            hear(buffer, AVAudioTime(sampleTime: first, atRate: rate))
        }
    }

    private func next() throws -> AVAudioPCMBuffer? {
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: framesPerBuffer)
        else { throw SHError(.internalError) }
        do {
            try file.read(into: buffer)
        } catch let error as AVFAudioError where error.code == .endOfFile {
            return nil
        }
        return buffer
    }
}
