import AudioCore

struct SyntheticStyle {
    var beatSeconds: Double
    var beatsPerBar: Int
    var rootHertz: Double
    var scale: [Int]
    var pad: SyntheticVoice
    var bass: SyntheticVoice
    var melody: SyntheticVoice
    var arpeggio: SyntheticVoice
    var arpeggioDivision: Int
    var bassActivity: Double
    var kickActivity: Double
    var hatActivity: Double
    var hatPan: Double
    var drumPitch: Double

    init(using generator: inout SeededGenerator) {
        let scales = [
            [0, 2, 4, 5, 7, 9, 11], [0, 2, 3, 5, 7, 8, 10], [0, 2, 3, 5, 7, 9, 10], [0, 2, 4, 5, 7, 9, 10],
            [0, 2, 3, 5, 7, 8, 11], [0, 1, 3, 5, 7, 8, 10], [0, 2, 4, 6, 7, 9, 11],
        ]
        beatSeconds = 60 / generator.uniform(in: 72...156)
        beatsPerBar = [3, 4, 4, 4, 5][generator.index(below: 5)]
        // Any root, not only the keys of a piano: pieces share no partials by accident.
        rootHertz = 110 * PortableMath.power2(generator.uniform(in: -0.5...0.5))
        scale = scales[generator.index(below: scales.count)]
        pad = SyntheticVoice(octave: 1, attack: 0.04...0.3, halfLife: 1...4, using: &generator)
        bass = SyntheticVoice(octave: -1, attack: 0.003...0.02, halfLife: 0.15...0.6, using: &generator)
        melody = SyntheticVoice(octave: 2, attack: 0.004...0.05, halfLife: 0.1...0.7, using: &generator)
        arpeggio = SyntheticVoice(octave: 2, attack: 0.002...0.01, halfLife: 0.05...0.25, using: &generator)
        bass.pan = 0
        arpeggioDivision = 2 + generator.index(below: 3)
        bassActivity = generator.uniform(in: 0.3...0.95)
        kickActivity = generator.uniform(in: 0.02...0.12)
        hatActivity = generator.uniform(in: 0.05...0.4)
        hatPan = generator.uniform(in: -0.5...0.5)
        drumPitch = generator.uniform(in: 0.75...1.35)
    }

    /// The semitones above the root of a step of the scale; steps beyond one octave go on.
    func semitones(ofDegree degree: Int) -> Int {
        let octave = degree >= 0 ? degree / scale.count : (degree - scale.count + 1) / scale.count
        return scale[degree - octave * scale.count] + 12 * octave
    }
}

struct SyntheticVoice {
    var octave: Int
    var partialRatios: SIMD4<Double>
    var partialLevels: SIMD4<Float>
    var attackSeconds: Double
    var halfLifeSeconds: Double
    var pan: Double
    var levelDecibels: Double

    init(
        octave: Int, attack: ClosedRange<Double>, halfLife: ClosedRange<Double>,
        using generator: inout SeededGenerator
    ) {
        self.octave = octave
        let stretch = generator.uniform(in: 0...0.004)
        let odd = generator.unit() < 0.3
        let numbers: [Double] = odd ? [1, 3, 5, 7] : [1, 2, 3, 4 + Double(generator.index(below: 3))]
        partialRatios = SIMD4(numbers.map { $0 * (1 + stretch * $0) })
        partialLevels = SIMD4(
            1, Float(generator.uniform(in: 0.1...0.8)), Float(generator.uniform(in: 0.05...0.5)),
            Float(generator.uniform(in: 0.02...0.35)))
        attackSeconds = generator.uniform(in: attack)
        halfLifeSeconds = generator.uniform(in: halfLife)
        pan = generator.uniform(in: -0.6...0.6)
        levelDecibels = generator.uniform(in: -3...3)
    }
}

/// A stretch of 4 to 8 bars with one harmony, one motif and one set of players.
struct SyntheticSection {
    struct MotifNote {
        var degree: Int
        var beats: Double
    }

    var bars: Int
    var chords: [Int]
    var motif: [MotifNote]
    var levelDecibels: Double
    var swellDecibels: Double
    var hasBass: Bool
    var hasDrums: Bool
    var hasArpeggio: Bool

    init(after previous: SyntheticSection?, in style: SyntheticStyle, using generator: inout SeededGenerator)
    {
        bars = 4 + 2 * generator.index(below: 3)
        chords = (0..<4).map { $0 == 0 && generator.unit() < 0.6 ? 0 : generator.index(below: 7) }
        // Melody keeps to what the previous section made known, half of the time.
        if let previous, generator.unit() < 0.5 {
            motif = previous.motif
        } else {
            motif = []
            var degree = generator.index(below: 5)
            var beats = 0.0
            while beats < Double(style.beatsPerBar) {
                let length = [0.25, 0.5, 0.5, 0.75, 1, 1, 1.5][generator.index(below: 7)]
                motif.append(MotifNote(degree: degree, beats: length))
                beats += length
                degree = min(9, max(-2, degree + [-3, -2, -1, -1, 1, 1, 2, 4][generator.index(below: 8)]))
            }
        }
        levelDecibels = generator.uniform(in: -7...0)
        swellDecibels = generator.uniform(in: -4...6)
        hasBass = generator.unit() < 0.85
        hasDrums = generator.unit() < 0.7
        hasArpeggio = generator.unit() < 0.5
    }
}
