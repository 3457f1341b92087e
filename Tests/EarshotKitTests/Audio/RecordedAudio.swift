import AudioCore
import EarshotKit
import Synchronization
import TestSupport
import Testing

/// The audio from a tap or a recording, collected across threads.
final class RecordedAudio: Sendable {
    struct Piece {
        let audio: AudioBuffer
        let time: AVAudioTime
    }

    private let heard = Mutex<[Piece]>([])

    func add(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
        guard let audio = try? buffer.samples() else { return }
        heard.withLock { $0.append(Piece(audio: audio, time: time)) }
    }

    var pieces: [Piece] { heard.withLock { $0 } }

    var frameCount: Int { heard.withLock { $0.reduce(0) { $0 + $1.audio.frameCount } } }

    func samples(channel: Int = 0) -> [Float] { pieces.flatMap { $0.audio.channel(channel) } }

    func waitForFrames(_ count: Int) async throws {
        try #require(try await eventually { frameCount >= count }, "\(frameCount) frames came")
    }

    /// The largest difference between played and recorded audio from the first sound on; nil if audio is
    /// missing.
    static func largestDifference(of played: [Float], in heard: [Float]) -> Float? {
        guard let onset = heard.firstIndex(where: { abs($0) > 0.001 }),
            let first = played.firstIndex(where: { abs($0) > 0.001 }),
            heard.count - onset >= played.count - first
        else { return nil }
        return zip(heard[onset...], played[first...]).map { abs($0 - $1) }.max()
    }
}
