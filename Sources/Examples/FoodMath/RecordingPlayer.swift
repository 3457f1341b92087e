import ShazamKit

/// Delivers a recording as a microphone does: each buffer at its end.
struct RecordingPlayer {
    enum Pace: Sendable {
        /// One second per second.
        case realTime
        /// As fast as possible; the clock advances by the audio delivered.
        case driving(ManualClock)
    }

    private let file: AVAudioFile
    private let framesPerBuffer: AVAudioFrameCount

    /// Opens a recording.
    ///
    /// - Throws: `AVFAudioError` if the file cannot be read as audio.
    init(_ recording: URL) throws {
        file = try AVAudioFile(forReading: recording)
        // 20 ms.
        framesPerBuffer = max(1, AVAudioFrameCount(file.processingFormat.sampleRate / 50))
    }

    /// Plays the recording from beginning to end.
    ///
    /// - Parameter receive: Takes a new buffer and the time of its first frame.
    /// - Throws: `AVFAudioError` if the recording is damaged; `CancellationError`.
    func play(_ pace: Pace, to receive: (AVAudioPCMBuffer, AVAudioTime) -> Void) async throws {
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
            receive(buffer, AVAudioTime(sampleTime: first, atRate: rate))
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
