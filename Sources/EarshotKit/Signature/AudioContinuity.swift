/// Checks that timed blocks of audio follow each other without gaps.
///
/// Sample times may be off by 10 ms, because converters round and their first block is short. Host times
/// jitter and drift. They may differ by 100 ms from the end of the previous block. A block without a time
/// always fits, and the next time restarts the check.
package struct AudioContinuity {
    package static let sampleTolerance = 0.01
    package static let hostTolerance = 0.1

    private var expectedSample: TimeInterval?
    private var expectedHost: TimeInterval?

    package init() {}

    /// Checks the next block of `seconds` seconds.
    /// - Throws: `SHError` 101 if a gap or overlap precedes the block. The block does not count then.
    package mutating func append(seconds: TimeInterval, at time: AVAudioTime?) throws(SHError) {
        guard let time else {
            self = AudioContinuity()
            return
        }
        if time.isSampleTimeValid, time.sampleRate > 0 {
            let start = Double(time.sampleTime) / time.sampleRate
            try check(start, expectedSample, Self.sampleTolerance)
            expectedSample = (expectedSample ?? start) + seconds
        } else if time.isHostTimeValid {
            let start = AVAudioTime.seconds(forHostTime: time.hostTime)
            try check(start, expectedHost, Self.hostTolerance)
            expectedHost = start + seconds
        }
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
