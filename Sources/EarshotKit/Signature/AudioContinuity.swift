/// Tells whether blocks of audio that come with times follow each other without a gap.
///
/// Sample times are compared with where the audio so far should have got to, counted from the first time given, and may
/// be off by 10 ms: converters round, and their first block comes short. Host times jitter and drift, so that a block's
/// is compared with the block before only, and may be off by 100 ms. A block without a time is taken to follow, and the
/// next time starts the count anew.
package struct AudioContinuity {
    /// How far a sample time may be off, in seconds.
    package static let sampleTolerance = 0.01
    /// How far a host time may be off, in seconds.
    package static let hostTolerance = 0.1

    private var expectedSample: TimeInterval?
    private var expectedHost: TimeInterval?

    /// Starts before the first block.
    package init() {}

    /// Takes the next block's time and its length in seconds.
    ///
    /// - Throws: `SHError` 101 when there is a gap before the block, or it overlaps what came before; the block then
    ///   does not count.
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
            message: "audio was expected from \(expected) s on and came from \(start) s on; at most"
                + " \(tolerance) s may lie between")
    }
}
