import Glibc

/// A time in a stream: a sample number, a host time, or both.
///
/// Host times are nanoseconds of the monotonic clock.
public final class AVAudioTime: NSObject, Sendable {
    /// The sample number, if ``isSampleTimeValid``.
    public let sampleTime: AVAudioFramePosition
    /// Samples per second; 0 unless ``isSampleTimeValid``.
    public let sampleRate: Double
    /// The host time in nanoseconds, if ``isHostTimeValid``.
    public let hostTime: UInt64
    /// Whether ``sampleTime`` is set.
    public let isSampleTimeValid: Bool
    /// Whether ``hostTime`` is set.
    public let isHostTimeValid: Bool

    /// Makes a time from a sample number.
    public convenience init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        self.init(host: nil, sample: sampleTime, rate: sampleRate)
    }

    /// Makes a time from nanoseconds of the host clock.
    public convenience init(hostTime: UInt64) { self.init(host: hostTime, sample: nil, rate: 0) }

    /// Makes a time from a sample number and its host time.
    public convenience init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        self.init(host: hostTime, sample: sampleTime, rate: sampleRate)
    }

    init(host: UInt64?, sample: AVAudioFramePosition?, rate: Double) {
        sampleTime = sample ?? 0
        sampleRate = rate
        hostTime = host ?? 0
        isSampleTimeValid = sample != nil
        isHostTimeValid = host != nil
    }

    /// Converts seconds to host time, clamped to the range of `UInt64`; NaN becomes 0.
    public class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        let nanoseconds = (seconds * 1e9).rounded()
        guard nanoseconds > 0 else { return 0 }
        return nanoseconds < 0x1p64 ? UInt64(nanoseconds) : .max
    }

    /// Converts host time to seconds.
    public class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }

    /// Adds the missing sample number or host time, extrapolated from `anchor`.
    ///
    /// Nil if the anchor lacks either, the rates differ, or the result overflows.
    public func extrapolateTime(fromAnchor anchor: AVAudioTime) -> AVAudioTime? {
        if isHostTimeValid && isSampleTimeValid { return self }
        guard anchor.isHostTimeValid, anchor.isSampleTimeValid, anchor.sampleRate > 0 else { return nil }
        if isSampleTimeValid {
            guard sampleRate == anchor.sampleRate else { return nil }
            let seconds = (Double(sampleTime) - Double(anchor.sampleTime)) / sampleRate
            guard let host = UInt64(exactly: (Double(anchor.hostTime) + seconds * 1e9).rounded()) else {
                return nil
            }
            return AVAudioTime(hostTime: host, sampleTime: sampleTime, atRate: sampleRate)
        }
        let seconds = (Double(hostTime) - Double(anchor.hostTime)) / 1e9
        guard
            let sample = AVAudioFramePosition(
                exactly: (Double(anchor.sampleTime) + seconds * anchor.sampleRate).rounded())
        else { return nil }
        return AVAudioTime(hostTime: hostTime, sampleTime: sample, atRate: anchor.sampleRate)
    }

    /// Compares both times and the rate.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioTime else { return false }
        return isSampleTimeValid == other.isSampleTimeValid && isHostTimeValid == other.isHostTimeValid
            && sampleTime == other.sampleTime && sampleRate == other.sampleRate && hostTime == other.hostTime
    }

    /// Hashes both times.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleTime)
        hasher.combine(hostTime)
        return hasher.finalize()
    }

    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
