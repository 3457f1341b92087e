import AudioCore
import AudioIO
import Degradations
import Foundation
import TestSupport
import Testing

/// The samples and the truth of each degradation are those of its `version`.
///
/// Caches, baselines and comparisons of runs take queries of equal versions for equal queries.
@Suite struct GoldenSamplesTests {
    @Test func samplesBelongToTheVersion() throws {
        let lines = try GoldenCase.all().map { (library: $0.library, line: try $0.line()) }
        #expect(try GoldenFile.problems(of: lines, in: "samples.txt") == [])
    }

    @Test func aChangeOf100DecibelsBelowTheSignalIsSeen() {
        let audio = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 44_100, channelCount: 2)
        let digest = SampleDigest(Clip(audio, startSeconds: 2))
        func changed(by decibels: Double) -> SampleDigest {
            let noise = TestSignals.noise(seed: 2, seconds: 1, sampleRate: 44_100, channelCount: 2).samples
            let factor = Float(Decibels.amplitudeRatio(decibels))
            let samples = zip(audio.samples, noise).map { $0 + factor * $1 }
            return SampleDigest(
                Clip(AudioBuffer(samples: samples, sampleRate: 44_100, channelCount: 2), startSeconds: 2))
        }
        #expect(digest.difference(from: changed(by: -100)) != nil)
        // Processors differ by less.
        #expect(digest.difference(from: changed(by: -140)) == nil)
        #expect(digest.difference(from: SampleDigest(Clip(audio, startSeconds: 2.000_001))) != nil)
        #expect(digest.difference(from: SampleDigest(Clip(audio.frames(1..<44_100), startSeconds: 2))) != nil)
    }
}

/// A degradation with fixed parameters.
private struct GoldenCase {
    let name: String
    let version: Int
    /// The library that decides the samples.
    let library: String?
    let degrade: (AudioBuffer) throws -> Clip

    func line() throws -> GoldenLine {
        GoldenLine(name: name, version: version, digest: SampleDigest(try degrade(Self.source)))
    }

    static func all() throws -> [GoldenCase] {
        let folder = try TemporaryFolder()
        let hall = folder.file("hall.wav")
        let encoding = try #require(AudioEncoding("wav-float"))
        let response = TestSignals.noise(seed: 9, amplitude: 0.2, seconds: 0.05, sampleRate: 48_000)
        try AudioFile.write(response, to: hall, as: encoding)
        return try (Examples.all + more).map { try GoldenCase($0) }
            + [
                GoldenCase(AnyDegradation(ImpulseResponse(path: hall)), name: "impulseResponse") { audio in
                    // The file must outlive the case.
                    try withExtendedLifetime(folder) {
                        try applied(ImpulseResponse(path: hall), to: audio)
                    }
                }
            ]
    }

    private static let more: [AnyDegradation] =
        [-5, 0.5, 1.2345].map { AnyDegradation(Speed(percent: $0)) }
        + [8000, 48_000, 192_000].map { AnyDegradation(Resample(sampleRateHertz: $0)) }
        // Not Opus: its encoder chooses its arithmetic by the processor.
        + ["flac-16", "ogg-vorbis-q0.0", "wav-gsm610"].map { AnyDegradation(Format(encoding: $0)) }
        + [Pitch(percent: 5), Pitch(percent: 20)].map { AnyDegradation($0) }
        + [AnyDegradation(Tempo(percent: -5))]
        + [AnyDegradation(Noise(colour: .white, snrDecibels: 3, belowHertz: 4000, seed: 4))]

    private init(_ degradation: AnyDegradation) throws {
        let coder = JSONEncoder()
        coder.outputFormatting = .sortedKeys
        self.init(degradation, name: String(decoding: try coder.encode(degradation), as: UTF8.self)) {
            try Self.applied(degradation.value, to: $0)
        }
    }

    private init(
        _ degradation: AnyDegradation, name: String, degrade: @escaping (AudioBuffer) throws -> Clip
    ) {
        let kind = type(of: degradation.value)
        self.name = name
        version = kind.version
        library = ["pitch": "rubberband", "tempo": "rubberband", "format": "libsndfile"][kind.name]
        self.degrade = degrade
    }

    private static func applied(_ degradation: any Degradation, to audio: AudioBuffer) throws -> Clip {
        var clip = Clip(audio, startSeconds: 3)
        clip.signalFrames = 4410..<(audio.frameCount - 4410)
        try degradation.apply(to: &clip, material: FormulaMaterial())
        return clip
    }

    /// Tones and noise over the whole band, in two different channels.
    private static let source: AudioBuffer = {
        let tones = (0..<2).flatMap {
            TestSignals.bandNoise(seed: 5 + $0, band: 100...15_000, seconds: 1.5, sampleRate: 44_100).samples
        }
        let noise = TestSignals.noise(
            seed: 7, amplitude: 0.05, seconds: 1.5, sampleRate: 44_100, channelCount: 2)
        return AudioBuffer(
            samples: zip(tones, noise.samples).map { $0 + $1 }, sampleRate: 44_100, channelCount: 2)
    }()
}
