import AudioCore
import Degradations
import SignalProcessing
import Synchronization

/// Recordings that are decoded on first use and stay in memory as one channel at the requested rate.
///
/// The result depends on the recording and the rate alone, not on earlier requests.
package final class NoiseRecordings: Sendable {
    package struct Item: Sendable {
        /// Its checksum, or its name if a formula makes it.
        package var name: String
        package var load: @Sendable () throws -> AudioBuffer
    }

    private struct Key: Hashable {
        var index: Int
        var sampleRate: Int
    }

    private let items: [Item]
    private let maximumSeconds: Double
    private let cache = Mutex<[Key: CompactAudio]>([:])

    /// Uses at most `maximumSeconds` from the middle of each recording.
    package init(_ items: [Item], maximumSeconds: Double) {
        self.items = items
        self.maximumSeconds = maximumSeconds
    }

    package var count: Int { items.count }

    package var names: [String] { items.map(\.name) }

    /// Every other recording, so that two halves have none in common; nil keeps all.
    package func alternate(_ half: CorpusHalf?) -> NoiseRecordings {
        guard let half else { return self }
        let first = half == .tuning ? 0 : 1
        return NoiseRecordings(
            stride(from: first, to: items.count, by: 2).map { items[$0] }, maximumSeconds: maximumSeconds)
    }

    package func recording(_ index: Int, sampleRate: Int) throws -> CompactAudio {
        let key = Key(index: index, sampleRate: sampleRate)
        if let known = cache.withLock({ $0[key] }) { return known }
        // Decoded outside the lock: two threads may do it twice, none waits for another.
        let audio = try items[index].load()
        let wanted = min(audio.frameCount, Int(bounded: maximumSeconds * Double(audio.sampleRate)))
        let start = (audio.frameCount - wanted) / 2
        let mono = AudioBuffer(
            samples: audio.frames(start..<(start + wanted)).mono(), sampleRate: audio.sampleRate)
        guard let resampler = PolyphaseResampler.of(sampleRate, over: audio.sampleRate) else {
            throw DegradationError(
                .unsuitableAudio, "noise at \(audio.sampleRate) Hz is not resampled to \(sampleRate) Hz")
        }
        let compact = CompactAudio(mono.withChannel(0, resampler.resample), sampleRate: sampleRate)
        cache.withLock { $0[key] = compact }
        return compact
    }
}
