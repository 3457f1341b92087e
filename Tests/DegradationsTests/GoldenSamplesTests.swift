import AudioCore
import AudioIO
import Degradations
import Foundation
import TestSupport
import Testing

/// The samples and the truth of each degradation are those of its `version`.
///
/// Caches, baselines and comparisons of runs take queries of equal versions for equal queries. The file
/// `Golden/samples.txt` holds a line for each case. `EARSHOT_RECORD=1` writes the lines of new versions and of new
/// cases, never those of a version that the file has. The test then fails, so that no one records by accident.
@Suite struct GoldenSamplesTests {
    private static let path = PackageFolder.path + "/Tests/DegradationsTests/Golden/samples.txt"

    @Test func samplesBelongToTheVersion() throws {
        let isRecording = ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil
        let kept = try GoldenFile(path: Self.path)
        var lines: [GoldenLine] = []
        for example in try GoldenCase.all() {
            let found = try example.line()
            guard let known = kept.lines[found.name], known.version == found.version else {
                lines.append(found)
                if !isRecording {
                    Issue.record(
                        "\(found.name): the file has no line of version \(found.version); set EARSHOT_RECORD=1"
                    )
                }
                continue
            }
            lines.append(known)
            guard kept.isComparable(example.library) else { continue }
            let difference = known.digest.difference(from: found.digest)
            #expect(
                difference == nil,
                "\(found.name): \(difference ?? ""); if this is intended, raise its version and set EARSHOT_RECORD=1"
            )
        }
        let gone = Set(kept.lines.keys).subtracting(lines.map(\.name))
        #expect(isRecording || gone.isEmpty, "lines without a case: \(gone.sorted())")
        if isRecording {
            try GoldenFile.write(lines, to: Self.path)
            Issue.record("\(Self.path) was written; look at it and run again without EARSHOT_RECORD")
        }
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

private struct GoldenLine {
    var name: String
    var version: Int
    var digest: SampleDigest

    init(name: String, version: Int, digest: SampleDigest) {
        self.name = name
        self.version = version
        self.digest = digest
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " | ")
        guard parts.count == 3, let version = Int(parts[1]), let digest = SampleDigest(parts[2]) else {
            return nil
        }
        self.init(name: String(parts[0]), version: version, digest: digest)
    }

    var text: String { "\(name) | \(version) | \(digest)" }
}

/// The recorded lines, and the versions of the libraries that they were recorded with.
private struct GoldenFile {
    let lines: [String: GoldenLine]
    private let libraries: Set<String>

    init(path: String) throws {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        var (lines, libraries): ([String: GoldenLine], Set<String>) = ([:], [])
        for row in text.split(separator: "\n") {
            if row.hasPrefix("# ") {
                libraries.formUnion(row.dropFirst(2).split(separator: ", ").map(String.init))
            } else {
                let line = try #require(GoldenLine(row), "\(row)")
                lines[line.name] = line
            }
        }
        (self.lines, self.libraries) = (lines, libraries)
    }

    /// Whether this machine has the version of `library` that the file was recorded with.
    func isComparable(_ library: String?) -> Bool {
        library.map { name in Self.versions.filter { $0.hasPrefix(name) }.allSatisfy(libraries.contains) }
            ?? true
    }

    static func write(_ lines: [GoldenLine], to path: String) throws {
        let rows = ["# " + versions.joined(separator: ", ")] + lines.map(\.text)
        try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    private static var versions: [String] {
        DegradationLibraries.versions.map { "\($0.key) \($0.value)" }.sorted()
    }
}

/// Figures that samples decide, equal within rounding on every processor.
///
/// Each of the last four is the sum of all samples under random signs, over the root of their energy. A change of the
/// samples by a share of their amplitude changes these figures by about that share.
private struct SampleDigest: CustomStringConvertible {
    /// Sample rate, frames and channels.
    private var shape: [Int]
    /// The place of the first sample in seconds, and the slopes of both maps.
    private var truth: [Double]
    /// The RMS and the sums.
    private var sums: [Double]

    private static let truthTolerance = 2e-9
    /// −114 dB.
    private static let tolerance = 2e-6

    init(_ clip: Clip) {
        let audio = clip.audio
        shape = [audio.sampleRate, audio.frameCount, audio.channelCount]
        truth = [
            clip.timeMap(0), clip.timeMap(0.5) - clip.timeMap(0),
            clip.frequencyMap(0.5) - clip.frequencyMap(0),
        ]
        let root = (audio.meanPower * Double(audio.samples.count)).squareRoot()
        sums = [audio.meanPower.squareRoot()]
        for seed in 1...4 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var signs: UInt64 = 0
            var sum = 0.0
            for (index, sample) in audio.samples.enumerated() {
                if index.isMultiple(of: 64) { signs = generator.next() }
                sum += signs & 1 == 0 ? Double(sample) : -Double(sample)
                signs >>= 1
            }
            sums.append(root > 0 ? sum / root : 0)
        }
    }

    init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "; ").map { $0.split(separator: " ") }
        guard groups.count == 3 else { return nil }
        shape = groups[0].compactMap { Int($0) }
        truth = groups[1].compactMap { Double($0) }
        sums = groups[2].compactMap { Double($0) }
        guard (shape.count, truth.count, sums.count) == (3, 3, 5) else { return nil }
    }

    var description: String {
        [
            shape.map { "\($0)" }, truth.map { String(format: "%.9f", $0) },
            sums.map { String(format: "%.7f", $0) },
        ].map { $0.joined(separator: " ") }.joined(separator: "; ")
    }

    /// What differs, in words; nil if nothing does.
    func difference(from other: SampleDigest) -> String? {
        func differ(_ a: [Double], _ b: [Double], by tolerance: Double) -> Bool {
            zip(a, b).contains { !(abs($0 - $1) <= tolerance) }
        }
        if shape != other.shape { return "the shape is \(other.shape), not \(shape)" }
        if differ(truth, other.truth, by: Self.truthTolerance) {
            return "the truth is \(other.truth), not \(truth)"
        }
        if differ(sums, other.sums, by: Self.tolerance) {
            return "the samples differ: \(other.sums), not \(sums)"
        }
        return nil
    }
}
