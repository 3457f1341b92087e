import AudioCore
import Corpora
import TestSupport
import Testing

@Suite struct EffectCollageTests {
    private func collage(seconds: Double, seed: UInt64, effects: Int = 40) throws -> EffectCollage {
        var generator = SeededGenerator(seed: seed)
        return try EffectCollage(
            frameCount: Int(seconds * 8000), sampleRate: 8000, effectCount: effects, using: &generator
        ) { number in
            // One in ten is silent, as real effects sometimes are.
            let noise = TestSignals.noise(
                seed: UInt64(number), seconds: 0.2 + 0.05 * Double(number), sampleRate: 8000)
            return number % 10 == 3 ? [Float](repeating: 0, count: 800) : noise.samples
        }
    }

    @Test(arguments: [0.1, 0.5, 1, 5, 30], [1, 2, 3])
    func holdsTwentyDifferentEffects(seconds: Double, seed: UInt64) throws {
        let collage = try collage(seconds: seconds, seed: seed)
        #expect(collage.samples.count == Int(seconds * 8000))
        #expect(Set(collage.effects).count >= EffectCollage.leastEffects)
        #expect(!collage.effects.contains { $0 % 10 == 3 })
    }

    @Test func noEffectComesAgainBeforeAllOthersInItsLayer() throws {
        let collage = try collage(seconds: 20, seed: 4, effects: 22)
        for start in stride(from: 0, to: collage.effects.count - 19, by: 1) {
            // Three of the 22 are silent; a new round may begin with the end of the last one.
            #expect(Set(collage.effects[start..<(start + 19)]).count >= 10)
        }
    }

    @Test func hasNoGaps() throws {
        let collage = try collage(seconds: 10, seed: 7)
        for start in stride(from: 0, to: collage.samples.count, by: 400) {
            let block = collage.samples[start..<min(collage.samples.count, start + 400)]
            #expect(block.contains { abs($0) > 0.05 })
        }
    }

    /// A collage of silence alone ends, and is silence.
    @Test func endsWithoutAnySound() throws {
        var generator = SeededGenerator(seed: 1)
        let collage = try EffectCollage(
            frameCount: 8000, sampleRate: 8000, effectCount: 20, using: &generator
        ) { _ in nil }
        #expect(collage.effects.isEmpty)
        #expect(collage.samples.allSatisfy { $0 == 0 })
    }
}
