import AudioCore
import Glibc

/// Synthetic audio for tests.
public enum TestSignals {
    /// A sine of `frequency` hertz whose phase at the first sample is 0.
    public static func sine(
        frequency: Double, amplitude: Double = 0.5, seconds: Double, sampleRate: Int
    ) -> AudioBuffer {
        AudioBuffer(
            samples: samples(seconds, sampleRate) { amplitude * sin(2 * .pi * frequency * $0) },
            sampleRate: sampleRate)
    }

    /// A sine that changes exponentially from one frequency to another, both in hertz.
    public static func chirp(
        from start: Double, to end: Double, amplitude: Double = 0.5, seconds: Double, sampleRate: Int
    ) -> AudioBuffer {
        let rate = log(end / start) / seconds
        return AudioBuffer(
            samples: samples(seconds, sampleRate) {
                amplitude * sin(2 * .pi * start * (exp(rate * $0) - 1) / rate)
            }, sampleRate: sampleRate)
    }

    /// Uniform noise within ±`amplitude`; the channels are independent.
    public static func noise(
        seed: UInt64, amplitude: Double = 0.5, seconds: Double, sampleRate: Int, channelCount: Int = 1
    ) -> AudioBuffer {
        var generator = SeededGenerator(seed: seed)
        let count = frames(seconds, sampleRate) * channelCount
        return AudioBuffer(
            samples: (0..<count).map { _ in Float(amplitude * generator.uniform(in: -1...1)) },
            sampleRate: sampleRate,
            channelCount: channelCount)
    }

    /// A sum of sines at random frequencies in `band` hertz that fade in and out, `delaySeconds` late.
    ///
    /// It is the same continuous signal at every sample rate.
    public static func bandNoise(
        seed: UInt64, band: ClosedRange<Double> = 300...3000, amplitude: Double = 0.5, seconds: Double,
        sampleRate: Int, delaySeconds: Double = 0
    ) -> AudioBuffer {
        var generator = SeededGenerator(seed: seed)
        let count = frames(seconds, sampleRate)
        var sum = [Double](repeating: 0, count: count)
        for _ in 0..<partialCount {
            let frequency = generator.uniform(in: band)
            let pace = generator.uniform(in: 0.3...4)
            let depth = 0.5 * amplitude / Double(partialCount).squareRoot()
            // sin(a)·(1 + sin(b)) is three pure tones.
            let phase = generator.uniform(in: 0...2 * .pi)
            let shift = generator.uniform(in: 0...2 * .pi)
            for tone in [
                (frequency, phase, depth), (frequency - pace, phase - shift + .pi / 2, depth / 2),
                (frequency + pace, phase + shift - .pi / 2, depth / 2),
            ] {
                addTone(
                    frequency: tone.0, phase: tone.1 - 2 * .pi * tone.0 * delaySeconds, amplitude: tone.2,
                    sampleRate: sampleRate, to: &sum)
            }
        }
        return AudioBuffer(samples: sum.map { Float($0) }, sampleRate: sampleRate)
    }

    private static let partialCount = 40

    /// Adds amplitude·sin(2π·frequency·t + phase), by rotation: exact to 1e-11 over a million samples.
    private static func addTone(
        frequency: Double, phase: Double, amplitude: Double, sampleRate: Int, to sum: inout [Double]
    ) {
        let step = 2 * Double.pi * frequency / Double(sampleRate)
        let (cosine, sine) = (cos(step), sin(step))
        var (x, y) = (amplitude * cos(phase), amplitude * sin(phase))
        for index in sum.indices {
            sum[index] += y
            (x, y) = (x * cosine - y * sine, x * sine + y * cosine)
        }
    }

    /// Clicks with tones in silence, whose onsets can be found after a change of time or pitch.
    ///
    /// Each onset is a click of 1 ms and a tone of `toneFrequency` hertz that decays over 100 ms.
    public static func clicksAndTones(
        onsetSeconds: [Double], toneFrequency: Double = 880, seconds: Double, sampleRate: Int
    ) -> AudioBuffer {
        AudioBuffer(
            samples: samples(seconds, sampleRate) { time in
                var sum = 0.0
                for onset in onsetSeconds where time >= onset && time < onset + 0.5 {
                    let age = time - onset
                    sum += 0.4 * exp(-age / 0.1) * sin(2 * .pi * toneFrequency * age)
                    if age < 0.001 { sum += 0.5 * sin(2 * .pi * 2000 * age) }
                }
                return sum
            }, sampleRate: sampleRate)
    }

    /// The times in seconds at which sound begins in one channel.
    ///
    /// An onset is the first sample above `threshold` of the peak after at least `gapSeconds` below it.
    public static func onsets(in audio: AudioBuffer, threshold: Float = 0.1, gapSeconds: Double = 0.1)
        -> [Double]
    {
        let samples = audio.channel(0)
        let level = threshold * audio.peak
        let gap = Int(gapSeconds * Double(audio.sampleRate))
        var onsets: [Double] = []
        var last = -gap
        for (index, sample) in samples.enumerated() where abs(sample) > level {
            if index - last >= gap { onsets.append(Double(index) / Double(audio.sampleRate)) }
            last = index
        }
        return onsets
    }

    private static func frames(_ seconds: Double, _ sampleRate: Int) -> Int {
        Int((seconds * Double(sampleRate)).rounded())
    }

    private static func samples(_ seconds: Double, _ sampleRate: Int, _ value: (Double) -> Double) -> [Float]
    {
        (0..<frames(seconds, sampleRate)).map { Float(value(Double($0) / Double(sampleRate))) }
    }
}
