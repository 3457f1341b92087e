import AudioCore

/// A piece of music made from a seed: chords, bass, melody, arpeggio and drums in stereo at 44.1 kHz.
///
/// Two seeds differ in tuning, tempo, scale, harmony, timbre and every single note. Each bar varies in notes, timing
/// and loudness, so no passage repeats exactly. Samples are multiples of 2⁻¹⁵ and come from IEEE additions and
/// multiplications alone, so they are the same on every machine.
package struct SyntheticMusic: Sendable {
    /// The sample rate of all pieces, in hertz.
    package static let sampleRate = 44_100

    package let seed: UInt64
    package let seconds: Double

    /// Describes a piece without making it; `seconds` must be above 0.
    package init(seed: UInt64, seconds: Double = 60) {
        precondition(seconds > 0, "a piece of \(seconds) s")
        self.seed = seed
        self.seconds = seconds
    }

    package var frameCount: Int { max(1, Int(bounded: (seconds * Double(Self.sampleRate)).rounded())) }

    /// Makes the piece; its peak is about −1.4 dBFS.
    package func render() -> AudioBuffer {
        var generator = SeededGenerator(seed: seed, "synthetic music")
        var mix = StereoMix(frameCount: frameCount, sampleRate: Self.sampleRate)
        let score = SyntheticScore(
            frameCount: frameCount, sampleRate: Self.sampleRate, using: &generator)
        for note in score.notes { mix.add(note) }
        for hit in score.hits { mix.add(hit, using: &generator) }
        return mix.finished(peak: 0.85)
    }
}
