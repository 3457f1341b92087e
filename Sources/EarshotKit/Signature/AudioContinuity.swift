/// Checks that timed blocks of audio follow each other without gaps.
///
/// Sample times may be off by 10 ms, because converters round and their first block is short. Host times
/// jitter and drift. They may differ by 100 ms from the end of the previous block. A block without a time
/// always fits, and the next time restarts the check.
package struct AudioContinuity {
    package static let sampleTolerance = 0.01
    package static let hostTolerance = 0.1

    private var firstSample: TimeInterval?
    private var expectedSample: TimeInterval?
    private var expectedHost: TimeInterval?

    package init() {}

    /// Whether sample time starts over, as it does when an engine starts again.
    ///
    /// Then it is back at the first block's, or it goes back while the host time goes on.
    package func startsOver(at time: AVAudioTime?) -> Bool {
        guard let time, let firstSample, let expectedSample, let start = time.sampleSeconds,
            start < expectedSample - Self.sampleTolerance
        else { return false }
        guard start > firstSample + Self.sampleTolerance else { return true }
        guard let expectedHost, time.isHostTimeValid else { return false }
        return AVAudioTime.seconds(forHostTime: time.hostTime) > expectedHost - Self.hostTolerance
    }

    /// Checks the next block of `seconds` seconds.
    /// - Throws: `SHError` 101 if a gap or overlap precedes the block. The block does not count then.
    package mutating func append(seconds: TimeInterval, at time: AVAudioTime?) throws(SHError) {
        guard let time else {
            self = AudioContinuity()
            return
        }
        let host = time.isHostTimeValid ? AVAudioTime.seconds(forHostTime: time.hostTime) : nil
        if let start = time.sampleSeconds {
            try check(start, expectedSample, Self.sampleTolerance)
            firstSample = firstSample ?? start
            expectedSample = (expectedSample ?? start) + seconds
        } else if let host {
            try check(host, expectedHost, Self.hostTolerance)
        }
        expectedHost = host.map { $0 + seconds }
    }

    private func check(_ start: TimeInterval, _ expected: TimeInterval?, _ tolerance: TimeInterval)
        throws(SHError)
    {
        guard let expected, abs(start - expected) > tolerance else { return }
        throw SHError(
            .audioDiscontinuity,
            message: "the audio starts at \(start) s; expected \(expected) s within \(tolerance) s")
    }
}

extension AVAudioTime {
    fileprivate var sampleSeconds: TimeInterval? {
        isSampleTimeValid && sampleRate > 0 ? Double(sampleTime) / sampleRate : nil
    }
}
