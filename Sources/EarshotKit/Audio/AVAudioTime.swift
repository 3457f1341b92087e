import Glibc

/// A moment of a stream: as a sample's number, as the host's time, or both.
///
/// Host times are nanoseconds of the monotonic clock.
public final class AVAudioTime: NSObject, Sendable {
    /// The number of the sample; meaningful when `isSampleTimeValid`.
    public let sampleTime: AVAudioFramePosition
    /// The samples in a second; 0 when `isSampleTimeValid` is false.
    public let sampleRate: Double
    /// The host's time in nanoseconds; meaningful when `isHostTimeValid`.
    public let hostTime: UInt64
    /// Whether a sample's number was given.
    public let isSampleTimeValid: Bool
    /// Whether a host time was given.
    public let isHostTimeValid: Bool

    /// A sample's number in a stream of `sampleRate` samples in a second.
    public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        self.sampleTime = sampleTime
        self.sampleRate = sampleRate
        hostTime = 0
        isSampleTimeValid = true
        isHostTimeValid = false
    }

    /// A time of the host, in nanoseconds.
    public init(hostTime: UInt64) {
        self.hostTime = hostTime
        sampleTime = 0
        sampleRate = 0
        isSampleTimeValid = false
        isHostTimeValid = true
    }

    /// A sample's number and the host's time at which it sounds.
    public init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        self.hostTime = hostTime
        self.sampleTime = sampleTime
        self.sampleRate = sampleRate
        isSampleTimeValid = true
        isHostTimeValid = true
    }

    /// The host time of so many seconds; 0 of what is negative or not a number, the largest of what is beyond it.
    public class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        let nanoseconds = (seconds * 1e9).rounded()
        guard nanoseconds > 0 else { return 0 }
        return nanoseconds < 0x1p64 ? UInt64(nanoseconds) : .max
    }

    /// The seconds of a host time.
    public class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }

    /// This moment with both its sample's number and its host time, the missing one reckoned from `anchor`.
    ///
    /// Nil when the anchor lacks either, or what this moment lacks cannot be reckoned: the rates differ, or the result is
    /// beyond what the numbers hold.
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

    /// Whether another object is the same moment.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioTime else { return false }
        return isSampleTimeValid == other.isSampleTimeValid && isHostTimeValid == other.isHostTimeValid
            && sampleTime == other.sampleTime && sampleRate == other.sampleRate && hostTime == other.hostTime
    }

    /// A hash of both times.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleTime)
        hasher.combine(hostTime)
        return hasher.finalize()
    }

    /// The host's time now.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
