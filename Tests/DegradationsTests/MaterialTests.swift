import AudioCore
import Degradations
import TestSupport
import Testing

/// Material whose first excerpts are silent.
private struct LateVoice: Material {
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        let isSilent = generator.unit() < 0.6
        return (0..<frameCount).map { isSilent ? 0 : Float($0 % 7) / 10 }
    }
}

private struct Mute: Material {
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] { [Float](repeating: 0.4, count: frameCount) }
}

@Test("A pause in a recording is skipped, and a silent recording is an error")
func pausesInMaterial() throws {
    for seed in 0..<20 as Range<UInt64> {
        var clip = Clip(Tune().recording(seconds: 0.2, sampleRate: 8000))
        try Ambience(snrDecibels: 0, seed: seed).apply(to: &clip, material: LateVoice())
        #expect(abs((clip.measurements["snrDecibels"] ?? 99)) < 0.01)
    }
    for material in [Mute() as any Material, NoMaterial()] {
        var clip = Clip(Tune().recording(seconds: 0.2, sampleRate: 8000))
        let error = #expect(throws: DegradationError.self) {
            try MusicNoise(snrDecibels: 0, seed: 1).apply(to: &clip, material: material)
        }
        #expect(error?.code == .missingMaterial)
    }
}
