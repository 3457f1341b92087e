import EarshotKit
import Testing

struct AVAudioTimeTests {
    @Test func eachInitialiserMakesItsTimesValid() {
        let sample = AVAudioTime(sampleTime: -5, atRate: 8000)
        #expect(sample.isSampleTimeValid && !sample.isHostTimeValid)
        #expect(sample.sampleTime == -5 && sample.sampleRate == 8000)
        let host = AVAudioTime(hostTime: 7)
        #expect(!host.isSampleTimeValid && host.isHostTimeValid && host.hostTime == 7)
        let both = AVAudioTime(hostTime: 7, sampleTime: 3, atRate: 1)
        #expect(both.isSampleTimeValid && both.isHostTimeValid)
        #expect(both == AVAudioTime(hostTime: 7, sampleTime: 3, atRate: 1))
        #expect(both.hash == AVAudioTime(hostTime: 7, sampleTime: 3, atRate: 1).hash)
        #expect(Set([sample, host, both]).count == 3)
    }

    @Test(arguments: [0, 1e-9, 0.5, 86_400])
    func secondsRoundTripThroughHostTime(seconds: Double) {
        #expect(AVAudioTime.seconds(forHostTime: AVAudioTime.hostTime(forSeconds: seconds)) == seconds)
    }

    @Test func secondsAreClampedToTheClock() {
        #expect(AVAudioTime.hostTime(forSeconds: -1) == 0)
        #expect(AVAudioTime.hostTime(forSeconds: .nan) == 0)
        #expect(AVAudioTime.hostTime(forSeconds: .infinity) == .max)
        #expect(AVAudioTime.hostTime(forSeconds: 1e300) == .max)
    }

    @Test func theMissingTimeIsExtrapolated() throws {
        let anchor = AVAudioTime(hostTime: 1_000_000_000, sampleTime: 500, atRate: 1000)
        let sample = try #require(
            AVAudioTime(sampleTime: 750, atRate: 1000).extrapolateTime(fromAnchor: anchor))
        #expect(sample.hostTime == 1_250_000_000)
        let host = try #require(AVAudioTime(hostTime: 900_000_000).extrapolateTime(fromAnchor: anchor))
        #expect(host.sampleTime == 400 && host.sampleRate == 1000)
        #expect(anchor.extrapolateTime(fromAnchor: AVAudioTime(hostTime: 1)) === anchor)
        // Another rate, no anchor, before the clock's start.
        #expect(AVAudioTime(sampleTime: 1, atRate: 8000).extrapolateTime(fromAnchor: anchor) == nil)
        #expect(AVAudioTime(hostTime: 1).extrapolateTime(fromAnchor: AVAudioTime(hostTime: 1)) == nil)
        #expect(AVAudioTime(sampleTime: -9999, atRate: 1000).extrapolateTime(fromAnchor: anchor) == nil)
    }
}
