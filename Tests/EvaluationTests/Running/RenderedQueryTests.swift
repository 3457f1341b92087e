import AudioCore
import AudioIO
import Corpora
import Degradations
import Evaluation
import TestSupport
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

    /// Margins, noise at an SNR, and starts that are too quiet.
    @Test(arguments: [
        [], [AnyDegradation(Speed(percent: -3))],
        [AnyDegradation(Drift(fromPercent: 0, toPercent: 2)), AnyDegradation(Gain(decibels: -6))],
    ])
    func aFileReadInPartsGivesTheSameQueries(chain: [AnyDegradation]) throws {
        let folder = try TemporaryFolder()
        var music = Self.music
        for channel in 0..<music.channelCount {
            music.withMutableChannel(channel) { plane in
                for frame in 0..<(plane.count / 2) { plane[frame] *= 1e-3 }
            }
        }
        try AudioFile.write(music, to: folder.file("music"), as: try #require(AudioEncoding("wav-float")))
        let parts = try AudioFileParts(path: folder.file("music"))
        var redraws = 0
        for seed in UInt64(0)..<8 {
            let trial = trial(seed: seed, chain: chain)
            let query = try trial.render(from: parts, material: NoMaterial())
            let expected = try trial.render(from: music, material: NoMaterial())
            #expect(query.audio == expected.audio && query.truth == expected.truth)
            #expect(query.redraws == expected.redraws)
            redraws += query.redraws
        }
        #expect(redraws > 0)
    }

    @Test func aSlowedQueryMayBeLongerThanItsPartOfTheRecording() throws {
        let trial = trial(seconds: 13, chain: [AnyDegradation(Speed(percent: -25))])
        let query = try trial.render(from: Self.music, material: NoMaterial())
        #expect(query.audio.durationSeconds == 13)
        #expect(abs(try #require(query.truth.timeSkew) + 0.25) < 1e-6)
    }

    /// The error of a perfect line fit is 0, and padding changes nothing.
    @Test(arguments: [
        AnyDegradation(Drift(fromPercent: 0, toPercent: 2)),
        AnyDegradation(Wow(depthPercent: 0.5, rateHertz: 0.6, phaseTurns: 0.1)),
    ])
    func offsetAndSkewsAreOfOneLineOverTheSignal(change: AnyDegradation) throws {
        let silence = AnyDegradation(Silence(leadingSeconds: 1, trailingSeconds: 2))
        let plain = try trial(seconds: 5, chain: [change]).render(from: Self.music, material: NoMaterial())
        let padded = try trial(seconds: 5, chain: [change, silence])
            .render(from: Self.music, material: NoMaterial())
        var (sum, weight, values) = (0.0, 0.0, [Double]())
        let times = (0..<5000).map { (Double($0) + 0.5) / 1000 }
        for time in times {
            let value = plain.clip.timeMap(time)
            sum += (time - 2.5) * value
            weight += (time - 2.5) * (time - 2.5)
            values.append(value)
        }
        let slope = sum / weight
        let offset = values.reduce(0, +) / 5000 - slope * 2.5
        #expect(abs(try #require(plain.truth.offsetSeconds) - offset) < 1e-6)
        #expect(abs(try #require(plain.truth.timeSkew) - (slope - 1)) < 1e-6)
        #expect(abs(try #require(plain.truth.frequencySkew) - (slope - 1)) < 1e-6)
        #expect(abs(offset - plain.clip.timeMap(0)) > 1e-3, "the line misses the first sample")
        #expect(abs(try #require(padded.truth.offsetSeconds) - (offset - slope)) < 1e-6)
        #expect(abs(try #require(padded.truth.timeSkew) - (slope - 1)) < 1e-6)
        #expect(abs(padded.truth.skewChangePerSecond - plain.truth.skewChangePerSecond) < 1e-6)
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

    /// The channels cancel in the first three quarters of the recording.
    @Test func noiseIsAddedOnlyWhereTheMonoMixIsLoud() throws {
        let mono = Self.music.mono()
        let opposite = mono.enumerated().map { $0 < mono.count * 3 / 4 ? -$1 : $1 }
        let music = AudioBuffer(
            samples: mono + opposite, sampleRate: Self.music.sampleRate, channelCount: 2)
        let noise = [AnyDegradation(Noise(colour: .pink, snrDecibels: 0, seed: 1))]
        var redraws = 0
        for seed in UInt64(0)..<20 {
            let noisy = try trial(seed: seed, seconds: 1, chain: noise).render(
                from: music, material: NoMaterial())
            #expect(abs(try #require(noisy.clip.measurements["snrDecibels"])) < 0.01)
            #expect(try #require(noisy.truth.offsetSeconds) > 0.75 * music.durationSeconds - 1)
            redraws += noisy.redraws
            let clean = try trial(seed: seed, seconds: 1).render(from: music, material: NoMaterial())
            #expect(clean.redraws == 0)
        }
        #expect(redraws > 20)
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
