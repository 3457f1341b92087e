import AudioCore

/// Speech-like sound made by a formula: syllables of a pulse train through three moving formants,
/// with hissing consonants, in phrases of 2 to 4 s.
///
/// The hiss is centred at 0.55 to 0.9 of half the sample rate, and weaker at higher rates.
struct SyntheticSpeech {
    /// Three voices of 24 phrases each.
    static func voices(sampleRate: Int = 8000) -> [NoiseRecordings] {
        [105.0, 140, 205].map { pitch in
            let phrases = (1...24).map { number in
                NoiseRecordings.Item(name: "synthetic speech \(pitch) Hz \(number)") {
                    SyntheticSpeech(
                        pitchHertz: pitch, seed: StableHash.of("speech", "\(pitch)", "\(number)"),
                        sampleRate: sampleRate
                    ).render()
                }
            }
            return NoiseRecordings(phrases, maximumSeconds: 30)
        }
    }

    let pitchHertz: Double
    let seed: UInt64
    var sampleRate = 8000

    func render() -> AudioBuffer {
        var generator = SeededGenerator(seed: seed, "synthetic speech")
        let rate = Double(sampleRate)
        var samples: [Float] = []
        let vowels: [[Double]] = [
            [730, 1090, 2440], [270, 2290, 3010], [300, 870, 2240], [530, 1840, 2480], [570, 840, 2410],
            [660, 1720, 2410], [440, 1020, 2240],
        ]
        var from = vowels[generator.index(below: vowels.count)]
        var phase = 0.0
        let syllables = 10 + generator.index(below: 9)
        for syllable in 0..<syllables {
            let to = vowels[generator.index(below: vowels.count)]
            let length = Int(bounded: generator.uniform(in: 0.11...0.24) * rate)
            let hiss = Int(bounded: generator.uniform(in: 0...0.07) * rate)
            // Pitch falls through a phrase and is lifted on stressed syllables.
            let fall = 1.15 - 0.3 * Double(syllable) / Double(syllables)
            let pitch = pitchHertz * fall * generator.uniform(in: 0.92...1.14)
            let loudness = generator.uniform(in: 0.4...1)
            var formants = (0..<3).map { _ in Resonator() }
            var noise = Resonator()
            let widening = rate / 8000
            // Real speech too has little above 4 kHz.
            let hissLevel = 0.12 / (widening * widening)
            noise.tune(
                hertz: generator.uniform(in: 2200...3600) * widening, bandwidth: 900 * widening, rate: rate)
            for index in 0..<(length + hiss) {
                if index < hiss {
                    samples.append(Float(noise.next(generator.uniform(in: -1...1) * hissLevel) * loudness))
                    continue
                }
                let progress = Double(index - hiss) / Double(length)
                if (index - hiss) % 40 == 0 {
                    let blend = min(1, progress * 2.5)
                    for number in 0..<3 {
                        formants[number].tune(
                            hertz: from[number] + (to[number] - from[number]) * blend,
                            bandwidth: 60 + 40 * Double(number), rate: rate)
                    }
                }
                phase += pitch * (1 + 0.05 * progress) / rate
                var source = generator.uniform(in: -1...1) * 0.01
                if phase >= 1 {
                    phase -= 1
                    source += 1
                }
                let envelope = min(1, progress * 8) * min(1, (1 - progress) * 5)
                var value = 0.0
                for number in 0..<3 { value += formants[number].next(source) / Double(number + 1) }
                samples.append(Float(value * envelope * loudness))
            }
            from = to
            if generator.unit() < 0.15 {
                samples += [Float](
                    repeating: 0, count: Int(bounded: generator.uniform(in: 0.05...0.2) * rate))
            }
        }
        return AudioBuffer(samples: samples, sampleRate: sampleRate)
    }
}

/// A two-pole resonance with a gain of about 1 at its centre.
struct Resonator {
    private var a1 = 0.0
    private var a2 = 0.0
    private var gain = 1.0
    private var y1 = 0.0
    private var y2 = 0.0

    mutating func tune(hertz: Double, bandwidth: Double, rate: Double) {
        let radius = PortableMath.power2(-4.532_360_141_827_194 * bandwidth / rate)
        let angle = PortableMath.sineCosine(turns: hertz / rate)
        a1 = 2 * radius * angle.cosine
        a2 = -radius * radius
        gain = (1 - radius) * max(0.1, 2 * angle.sine)
    }

    mutating func next(_ input: Double) -> Double {
        let output = gain * input + a1 * y1 + a2 * y2
        y2 = y1
        y1 = output
        return output
    }
}
