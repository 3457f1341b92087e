import AudioCore
import AudioIO
import SignalProcessing
import Synchronization

/// How late a codec's output is, measured once for each encoding, rate and channel count.
///
/// A fixed probe, two seconds of pink noise, is encoded and decoded, and the peak of its cross-correlation
/// with the input taken. That is surer than to measure on the query itself, which may be silent or periodic.
enum CodecDelay {
    /// What is measured apart.
    private struct Key: Hashable {
        let encoding: AudioEncoding
        let sampleRate: Int
        let channelCount: Int
    }

    private static let measured = Mutex<[Key: Double]>([:])

    /// Greater delays are not looked for, in seconds.
    private static let longestSeconds = 0.25

    /// The delay in seconds, to a hundredth of a sample; positive when the output is late.
    static func seconds(of encoding: AudioEncoding, sampleRate: Int, channelCount: Int) throws -> Double {
        let key = Key(encoding: encoding, sampleRate: sampleRate, channelCount: channelCount)
        if let known = measured.withLock({ $0[key] }) { return known }
        // Two threads may both measure; they find the same.
        let delay = try measure(key)
        measured.withLock { $0[key] = delay }
        return delay
    }

    private static func measure(_ key: Key) throws -> Double {
        var generator = SeededGenerator(seed: 1, "codec delay")
        var noise = NoiseColour.pink.samples(
            2 * key.sampleRate, sampleRate: key.sampleRate, using: &generator)
        let peak = noise.reduce(0) { max($0, abs($1)) }
        for frame in noise.indices { noise[frame] *= 0.5 / peak }
        let probe = AudioBuffer(
            samples: (0..<key.channelCount).flatMap { _ in noise }, sampleRate: key.sampleRate,
            channelCount: key.channelCount)
        let bytes = try AudioFile.encode(probe, as: key.encoding)
        var decoded = try AudioFile.decode(bytes, name: key.encoding.description)
        if decoded.sampleRate != key.sampleRate { decoded = try decoded.resampled(to: key.sampleRate) }
        let found = CrossCorrelation.bestLag(
            of: decoded.mono(), in: noise, maxLag: Int(longestSeconds * Double(key.sampleRate)))
        guard found.coefficient > 0.3 else {
            throw DegradationError(
                .unsuitableAudio,
                "\(key.encoding) at \(key.sampleRate) Hz: decoded noise resembles its input only by "
                    + "\(found.coefficient), so its delay cannot be measured")
        }
        return (found.lag * 100).rounded() / 100 / Double(key.sampleRate)
    }
}
