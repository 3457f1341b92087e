import AudioCore
import AudioIO
import SignalProcessing
import Synchronization

/// The delay of a codec, measured once for each encoding, rate and channel count.
///
/// It is the lag of the best cross-correlation of two seconds of pink noise before and after the codec. The query itself
/// may be silent or periodic, so it is not used.
enum CodecDelay {
    private struct Key: Hashable {
        let encoding: AudioEncoding
        let sampleRate: Int
        let channelCount: Int
    }

    private static let measured = Mutex<[Key: Double]>([:])

    private static let longestSeconds = 0.25

    /// The delay in seconds, to a hundredth of a sample; positive if the output is late.
    static func seconds(of encoding: AudioEncoding, sampleRate: Int, channelCount: Int) throws -> Double {
        let key = Key(encoding: encoding, sampleRate: sampleRate, channelCount: channelCount)
        if let known = measured.withLock({ $0[key] }) { return known }
        // Two threads may both measure, with the same result.
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
        var decoded = try AudioFile.coded(probe, as: key.encoding)
        if decoded.sampleRate != key.sampleRate { decoded = try decoded.resampled(to: key.sampleRate) }
        let found = CrossCorrelation.bestLag(
            of: decoded.mono(), in: noise, maxLag: Int(bounded: longestSeconds * Double(key.sampleRate)))
        guard found.coefficient > 0.3 else {
            throw DegradationError.unsuitable(
                "\(key.encoding) at \(key.sampleRate) Hz: decoded noise resembles its input only by "
                    + "\(found.coefficient), so its delay cannot be measured")
        }
        return (found.lag * 100).rounded() / 100 / Double(key.sampleRate)
    }
}
