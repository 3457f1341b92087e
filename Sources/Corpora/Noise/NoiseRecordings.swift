import AudioCore
import AudioIO
import Synchronization

/// Recordings that are decoded when first wanted, and kept as one channel at the rate wanted.
///
/// What it gives depends on the recording and the rate alone, never on what was asked before.
package final class NoiseRecordings: Sendable {
    package struct Item: Sendable {
        package var load: @Sendable () throws -> AudioBuffer
    }

    private struct Key: Hashable {
        var index: Int
        var sampleRate: Int
    }

    private let items: [Item]
    private let maximumSeconds: Double
    private let cache = Mutex<[Key: CompactAudio]>([:])

    /// Takes recordings, of each of which at most `maximumSeconds` in the middle are used.
    package init(_ items: [Item], maximumSeconds: Double) {
        self.items = items
        self.maximumSeconds = maximumSeconds
    }

    package var count: Int { items.count }

    /// One recording at `sampleRate` hertz.
    package func recording(_ index: Int, sampleRate: Int) throws -> CompactAudio {
        let key = Key(index: index, sampleRate: sampleRate)
        if let known = cache.withLock({ $0[key] }) { return known }
        // Decoded outside the lock: two threads may do it twice, none waits for another.
        let audio = try items[index].load()
        let wanted = min(audio.frameCount, Int(maximumSeconds * Double(audio.sampleRate)))
        let start = (audio.frameCount - wanted) / 2
        let mono = AudioBuffer(
            samples: audio.frames(start..<(start + wanted)).mono(), sampleRate: audio.sampleRate)
        // Noise needs no mastering quality, and speech alone is an hour to convert.
        let converted = try Resampler.resample(mono, to: sampleRate, quality: .fastest)
        let compact = CompactAudio(converted.samples, sampleRate: sampleRate)
        cache.withLock { $0[key] = compact }
        return compact
    }
}
