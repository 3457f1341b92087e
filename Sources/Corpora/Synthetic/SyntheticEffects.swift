import AudioCore

/// Short sounds made by a formula: gusts, drops, chirps, bells and rumbles at 44.1 kHz.
struct SyntheticEffects {
    static let sampleRate = 44_100

    static var recordings: NoiseRecordings {
        let items = (0..<60).map { number in
            NoiseRecordings.Item(name: "synthetic effect \(number)") {
                SyntheticEffects(number: number).render()
            }
        }
        return NoiseRecordings(items, maximumSeconds: 30)
    }

    /// The kind is this mod 5.
    let number: Int

    func render() -> AudioBuffer {
        var generator = SeededGenerator(seed: StableHash.of("effect", "\(number)"))
        let seconds = generator.uniform(in: 0.3...2.5)
        let count = Int(bounded: seconds * Double(Self.sampleRate))
        var samples: [Float]
        switch number % 5 {
        case 0: samples = gust(count, using: &generator)
        case 1: samples = drops(count, using: &generator)
        case 2: samples = chirp(count, using: &generator)
        case 3: samples = bell(count, using: &generator)
        default: samples = rumble(count, using: &generator)
        }
        let edge = min(count / 2, Self.sampleRate / 100)
        for index in 0..<edge {
            samples[index] *= Float(index) / Float(edge)
            samples[count - 1 - index] *= Float(index) / Float(edge)
        }
        return AudioBuffer(samples: samples, sampleRate: Self.sampleRate)
    }

    private func gust(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
        var filter = Resonator()
        let low = generator.uniform(in: 200...900)
        let high = low * generator.uniform(in: 1.5...4)
        return (0..<count).map { index in
            let position = Double(index) / Double(count)
            let swell = 1 - (2 * position - 1) * (2 * position - 1)
            if index % 64 == 0 {
                filter.tune(hertz: low + (high - low) * swell, bandwidth: 250, rate: Double(Self.sampleRate))
            }
            return Float(filter.next(generator.uniform(in: -1...1)) * swell)
        }
    }

    private func drops(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
        var filters = (0..<4).map { _ in Resonator() }
        for index in 0..<4 {
            filters[index].tune(
                hertz: generator.uniform(in: 900...6000), bandwidth: generator.uniform(in: 80...400),
                rate: Double(Self.sampleRate))
        }
        return (0..<count).map { _ in
            let drop = generator.unit() < 0.0008 ? generator.uniform(in: 10...60) : 0
            let target = generator.index(below: 4)
            var sum = 0.0
            for index in 0..<4 { sum += filters[index].next(index == target ? drop : 0) }
            return Float(sum)
        }
    }

    private func chirp(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
        let start = generator.uniform(in: 800...4000)
        let end = start * generator.uniform(in: 0.5...2)
        let syllable = Int(bounded: generator.uniform(in: 0.05...0.2) * Double(Self.sampleRate))
        var turns = 0.0
        return (0..<count).map { index in
            let position = Double(index % syllable) / Double(syllable)
            turns += (start + (end - start) * position) / Double(Self.sampleRate)
            return Float(PortableMath.sineCosine(turns: turns).sine * position * (1 - position) * 2)
        }
    }

    private func bell(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
        let base = generator.uniform(in: 150...900)
        let partials = (0..<5).map { index in
            (
                hertz: base * (1 + Double(index) * generator.uniform(in: 0.7...1.6)),
                decay: PortableMath.decay(
                    halfLife: generator.uniform(in: 0.05...0.5) * Double(Self.sampleRate))
            )
        }
        var levels = [Double](repeating: 0.3, count: partials.count)
        return (0..<count).map { index in
            var sum = 0.0
            for (number, partial) in partials.enumerated() {
                let turns = partial.hertz * Double(index) / Double(Self.sampleRate)
                sum += levels[number] * PortableMath.sineCosine(turns: turns - turns.rounded(.down)).sine
                levels[number] *= partial.decay
            }
            return Float(sum)
        }
    }

    private func rumble(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
        var filter = Resonator()
        filter.tune(
            hertz: generator.uniform(in: 60...250), bandwidth: generator.uniform(in: 60...200),
            rate: Double(Self.sampleRate))
        let step = Int(bounded: generator.uniform(in: 0.08...0.3) * Double(Self.sampleRate))
        var level = 1.0
        return (0..<count).map { index in
            if index % step == 0 { level = generator.uniform(in: 0.2...1) }
            return Float(filter.next(generator.uniform(in: -1...1)) * level)
        }
    }
}
