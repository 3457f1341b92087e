import AudioCore
import Corpora
import Degradations
import Evaluation
import Testing

@Suite struct RenderedQueryTests {
    static let music = SyntheticMusic(seed: 77, seconds: 12).render()

    private func trial(seed: UInt64 = 1, seconds: Double = 3, chain: [AnyDegradation] = []) -> Trial {
        Trial(
            id: "t", index: 0,
            cell: Cell(degradation: "d", severity: "", severityValue: nil, lengthSeconds: seconds),
            isPositive: true, source: "s", chain: DegradationChain(steps: chain), startSeed: seed)
    }

    @Test func aPlainQueryIsThatPartOfTheRecordingBitForBit() throws {
        for seed in UInt64(0)..<20 {
            let query = try trial(seed: seed).render(from: Self.music, material: NoMaterial())
            let start = try #require(query.truth.offsetSeconds) * Double(Self.music.sampleRate)
            #expect(abs(start - start.rounded()) < 1e-6)
            let first = Int(start.rounded())
            #expect(query.audio == Self.music.frames(first..<(first + 3 * Self.music.sampleRate)))
            #expect(query.truth.frequencySkew == 0 && query.truth.timeSkew == 0)
        }
    }

    @Test func renderingAgainGivesTheSameSamplesAndDigest() throws {
        let trial = trial(chain: [AnyDegradation(Speed(percent: 2))])
        let first = try trial.render(from: Self.music, material: NoMaterial())
        let second = try trial.render(from: Self.music, material: NoMaterial())
        #expect(first.audio == second.audio)
        #expect(first.digest == second.digest)
        #expect(abs((first.truth.timeSkew ?? 0) - 0.02) < 1e-9)
        #expect(abs((first.truth.frequencySkew ?? 0) - 0.02) < 1e-9)
        #expect(
            try self.trial(seed: 2).render(from: Self.music, material: NoMaterial()).digest != first.digest)
    }

    @Test func quietStartsAreDrawnAgain() throws {
        var music = Self.music
        // Three quarters of the recording are silent, so most first draws are.
        for channel in 0..<music.channelCount {
            music.withMutableChannel(channel) { plane in
                for frame in 0..<(plane.count * 3 / 4) { plane[frame] = 0 }
            }
        }
        var redraws = 0
        for seed in UInt64(0)..<30 {
            let query = try trial(seed: seed, seconds: 1).render(from: music, material: NoMaterial())
            #expect(query.audio.meanPower >= 1e-4)
            redraws += query.redraws
        }
        #expect(redraws > 30)
    }

    @Test func aRecordingWithoutALoudPlaceIsAnError() throws {
        let silence = AudioBuffer(silentFrames: 441_000, sampleRate: 44_100)
        let error = try #require(throws: DegradationError.self) {
            try trial().render(from: silence, material: NoMaterial())
        }
        #expect(error.code == .unsuitableAudio)
        #expect(throws: DegradationError.self) {
            try trial(seconds: 20).render(from: Self.music, material: NoMaterial())
        }
    }

    @Test func silenceIsDigital() throws {
        let query = try trial().render(from: nil, material: NoMaterial())
        #expect(query.audio.peak == 0)
        #expect(query.audio.durationSeconds == 3)
    }
}

@Suite struct RepeatSearchTests {
    @Test func findsTheOffsetToAnExactRepetition() throws {
        let piece = RenderedQueryTests.music.frames(0..<(5 * 44_100))
        // The same five seconds twice in a row.
        let looped = AudioBuffer(
            samples: piece.mono() + piece.mono(), sampleRate: piece.sampleRate)
        let exact = try #require(
            try RepeatSearch(recording: looped, trueSeconds: 1, answeredSeconds: 6.05, lengthSeconds: 3))
        #expect(exact.correlation > 0.95)
        #expect(abs(exact.offsetErrorSeconds - 0.05) < 0.001)
        let other = try #require(
            try RepeatSearch(recording: looped, trueSeconds: 1, answeredSeconds: 3.4, lengthSeconds: 1))
        #expect(other.correlation < 0.8)
        #expect(
            try RepeatSearch(recording: looped, trueSeconds: 1, answeredSeconds: 9, lengthSeconds: 3) == nil)
    }
}
