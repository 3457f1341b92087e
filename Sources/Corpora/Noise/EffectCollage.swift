import AudioCore

/// The sound of a place, put together from short effects.
///
/// Several layers sound at once. Each is a chain of effects that fade into one another. The generator draws their
/// order and gains; no effect is repeated before all others are used. Layers are added until at least
/// ``leastEffects`` different effects are in, so that even a short collage does not repeat one effect.
package struct EffectCollage: Sendable {
    /// The least number of different effects in any collage.
    package static let leastEffects = 20
    private static let leastLayers = 3
    private static let longestSliceSeconds = 3.0

    package let samples: [Float]
    package let effects: [Int]

    /// Makes a collage of `frameCount` samples.
    ///
    /// - Parameters:
    ///   - effectCount: How many effects there are; at least ``leastEffects``.
    ///   - effect: Gives one of them as samples at `sampleRate`; nil when it is silent.
    /// - Throws: What `effect` throws.
    package init(
        frameCount: Int, sampleRate: Int, effectCount: Int, using generator: inout SeededGenerator,
        effect: (Int) throws -> [Float]?
    ) throws {
        precondition(effectCount >= Self.leastEffects, "\(effectCount) effects are too few")
        var order = ShuffledNumbers(count: effectCount)
        var taken: [Int] = []
        var mix = [Float](repeating: 0, count: frameCount)
        var layers = 0
        var isExhausted = false
        while layers < Self.leastLayers || (Set(taken).count < Self.leastEffects && !isExhausted) {
            let takenBefore = taken.count
            var chain = Crossfade(overlap: sampleRate / 25)
            // The first effect of a layer is already going on when the collage starts.
            let lead = generator.index(below: max(1, sampleRate / 4))
            var attempts = 0
            while chain.samples.count < frameCount + lead, attempts < 100 * effectCount {
                attempts += 1
                let number = order.draw(using: &generator)
                let gain = Float(PortableMath.amplitude(decibels: generator.uniform(in: -9...0)))
                let position = generator.unit()
                guard let samples = try effect(number) else { continue }
                let longest = Int(bounded: Self.longestSliceSeconds * Double(sampleRate))
                let start = Int(bounded: position * Double(max(0, samples.count - longest)))
                let slice = Array(samples[start..<min(samples.count, start + longest)])
                guard let level = Self.levelled(slice) else { continue }
                chain.append(level, gain: gain)
                taken.append(number)
            }
            isExhausted = taken.count == takenBefore
            for index in 0..<min(frameCount, max(0, chain.samples.count - lead)) {
                mix[index] += chain.samples[lead + index]
            }
            layers += 1
        }
        samples = mix
        effects = taken
    }

    /// The same sound at an RMS of 1, or nil when there is none; a click is not raised to a crash.
    private static func levelled(_ samples: [Float]) -> [Float]? {
        var power = 0.0
        var peak: Float = 0
        for sample in samples {
            power += Double(sample) * Double(sample)
            peak = max(peak, abs(sample))
        }
        guard !samples.isEmpty, peak > 1e-4 else { return nil }
        let scale = min(1 / Float((power / Double(samples.count)).squareRoot()), 8 / peak)
        return samples.map { $0 * scale }
    }
}

/// Numbers in a random order; all are used once before any is repeated.
package struct ShuffledNumbers {
    private var order: [Int]
    private var next: Int

    package init(count: Int) {
        order = Array(0..<count)
        next = count
    }

    package mutating func draw(using generator: inout SeededGenerator) -> Int {
        if next == order.count {
            for index in stride(from: order.count - 1, to: 0, by: -1) {
                order.swapAt(index, generator.index(below: index + 1))
            }
            next = 0
        }
        next += 1
        return order[next - 1]
    }
}
