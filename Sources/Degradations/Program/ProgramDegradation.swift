import AudioCore
import SignalProcessing

/// Applies a degradation of a program of your own.
///
/// The ``DegradationProgram`` keeps length, rate and channels, so that the truth can follow. It states its delay, or the delay is
/// measured. A plan leaves out `version`, which is then that of the program.
package struct ProgramDegradation: Degradation {
    package static let name = "program"
    package static let parameters = [
        Parameter("name", .text), Parameter("version", .text, ifAbsent: .optional),
        Parameter("severity", .number(-1e9...1e9), ifAbsent: .optional, milder: .never), .seed,
    ]

    package var name: String
    package var version: String?
    package var severity: Double?
    package var seed: Int

    package init(name: String, version: String?, severity: Double? = nil, seed: Int) {
        self.name = name
        self.version = version
        self.severity = severity
        self.seed = seed
    }

    private static let longestDelaySeconds = 10.0

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        guard let program = material.program else {
            throw DegradationProgramError(name, "no program of degradations is named")
        }
        let degraded = try program.degrade(
            clip.audio, by: name, version: version, severity: severity, seed: seed)
        try check(degraded, against: clip.audio)
        let delay = try degraded.delaySeconds ?? DelayMeter(clip.audio).delaySeconds(of: degraded.audio, name)
        clip.replace(with: degraded.audio, delaySeconds: delay)
        clip.measurements["programDelaySeconds", default: 0] += delay
    }

    private func check(_ degraded: DegradedAudio, against audio: AudioBuffer) throws {
        func require(_ isRight: Bool, _ what: String, _ found: String, _ expected: String) throws {
            guard !isRight else { return }
            throw DegradationProgramError(name, "gave \(what) \(found); expected \(expected)")
        }
        let found = degraded.audio
        try require(
            found.sampleRate == audio.sampleRate, "a sample rate of", "\(found.sampleRate) Hz",
            "\(audio.sampleRate) Hz, that of its input")
        try require(
            found.channelCount == audio.channelCount, "a number of channels of", "\(found.channelCount)",
            "\(audio.channelCount), that of its input")
        try require(
            found.frameCount == audio.frameCount, "a length of", "\(found.frameCount) frames",
            "\(audio.frameCount), that of its input")
        if let place = found.samples.firstIndex(where: { !$0.isFinite }) {
            let frame = place % found.frameCount
            throw DegradationProgramError(name, "gave a sample that is not finite, in frame \(frame)")
        }
        if let delay = degraded.delaySeconds {
            try require(
                abs(delay) <= Self.longestDelaySeconds, "a delay of", "\(delay) s",
                "at most \(Self.longestDelaySeconds) s")
        }
    }
}

/// Measures by how much a degradation delays a sound.
private struct DelayMeter {
    private let sound: AudioBuffer

    init(_ sound: AudioBuffer) { self.sound = sound }

    private static let longestSeconds = 0.5
    /// Unrelated sounds reach 5.
    private static let leastProminence = 8.0
    private static let leastCoefficient = 0.3

    /// The delay, at most half a second; 0 if the sound is silent.
    ///
    /// First all frequencies have nearly equal weight, so that a filter does not pass for a delay. Noise hides a tonal sound
    /// from that, so the plain correlation is second. The degraded sound may be inverted.
    func delaySeconds(of degraded: AudioBuffer, _ name: String) throws -> Double {
        let before = sound.mono()
        guard before.contains(where: { $0 != 0 }) else { return 0 }
        let rate = Double(sound.sampleRate)
        let reach = max(1, min(Int(bounded: Self.longestSeconds * rate), before.count / 2))
        let after = degraded.mono()
        let signs = [after, after.map { -$0 }]
        let correlator = SharpCorrelator(length: before.count, maxLag: reach)
        let sharp = signs.map { correlator.align($0, with: before, exclusion: sound.sampleRate / 200) }
            .max { $0.prominence < $1.prominence }
        if let sharp, sharp.prominence >= Self.leastProminence { return Double(sharp.lag) / rate }
        let plain = signs.map { CrossCorrelation.bestLag(of: $0, in: before, maxLag: reach) }
            .max { $0.coefficient < $1.coefficient }
        if let plain, plain.coefficient >= Self.leastCoefficient { return plain.lag.rounded() / rate }
        throw DegradationProgramError(
            name, "its delay cannot be measured, because its output is too unlike its input. State the delay")
    }
}
