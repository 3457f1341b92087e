import AudioCore

struct SyntheticScore {
    private(set) var notes: [StereoMix.Note] = []
    private(set) var hits: [StereoMix.Hit] = []

    private let style: SyntheticStyle
    private let frameCount: Int
    private let sampleRate: Double

    init(frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator) {
        self.frameCount = frameCount
        self.sampleRate = Double(sampleRate)
        style = SyntheticStyle(using: &generator)
        var start = 0.0
        var section = SyntheticSection(after: nil, in: style, using: &generator)
        while start < Double(frameCount) / self.sampleRate {
            for bar in 0..<section.bars {
                write(bar: bar, of: section, startSeconds: start, using: &generator)
                start += style.beatSeconds * Double(style.beatsPerBar)
            }
            section = SyntheticSection(after: section, in: style, using: &generator)
        }
    }

    private mutating func write(
        bar: Int, of section: SyntheticSection, startSeconds: Double, using generator: inout SeededGenerator
    ) {
        let chord = section.chords[bar % section.chords.count]
        let swell = section.swellDecibels * (Double(bar) / Double(section.bars) - 0.5)
        let level = section.levelDecibels + swell
        let barSeconds = style.beatSeconds * Double(style.beatsPerBar)

        // The seventh is added or left out afresh each time.
        let tones = generator.unit() < 0.5 ? [0, 2, 4] : [0, 2, 4, 6]
        for tone in tones {
            play(
                style.pad, degree: chord + tone, at: startSeconds, seconds: barSeconds * 1.02,
                decibels: level - 17, using: &generator)
        }
        if section.hasBass {
            for beat in 0..<style.beatsPerBar where beat == 0 || generator.unit() < style.bassActivity {
                let degree = chord + (beat == 0 || generator.unit() < 0.6 ? 0 : 4)
                play(
                    style.bass, degree: degree, at: startSeconds + Double(beat) * style.beatSeconds,
                    seconds: style.beatSeconds * generator.uniform(in: 0.6...1),
                    decibels: level - 10, using: &generator)
            }
        }
        writeMelody(section: section, chord: chord, at: startSeconds, decibels: level - 9, using: &generator)
        if section.hasArpeggio {
            let step = style.beatSeconds / Double(style.arpeggioDivision)
            for index in 0..<(style.beatsPerBar * style.arpeggioDivision) where generator.unit() < 0.85 {
                play(
                    style.arpeggio, degree: chord + 2 * generator.index(below: 5),
                    at: startSeconds + Double(index) * step, seconds: step * 1.6,
                    decibels: level - 16, using: &generator)
            }
        }
        if section.hasDrums { writeDrums(at: startSeconds, decibels: level - 8, using: &generator) }
    }

    private mutating func writeMelody(
        section: SyntheticSection, chord: Int, at startSeconds: Double, decibels: Double,
        using generator: inout SeededGenerator
    ) {
        var beat = 0.0
        for motif in section.motif {
            if beat >= Double(style.beatsPerBar) { break }
            // A listener recognises a varied motif; a machine finds no repetition.
            let isVaried = generator.unit() < 0.35
            let degree = motif.degree + (isVaried ? generator.index(below: 5) - 2 : 0)
            if generator.unit() > 0.12 {
                play(
                    style.melody, degree: chord + degree, at: startSeconds + beat * style.beatSeconds,
                    seconds: motif.beats * style.beatSeconds * generator.uniform(in: 0.7...1.05),
                    decibels: decibels, using: &generator)
            }
            beat += motif.beats
        }
    }

    private mutating func writeDrums(
        at startSeconds: Double, decibels: Double, using generator: inout SeededGenerator
    ) {
        let steps = style.beatsPerBar * 4
        for step in 0..<steps {
            let time = startSeconds + Double(step) * style.beatSeconds / 4
            let beat = step / 4
            let isOnBeat = step % 4 == 0
            if isOnBeat && beat % 2 == 0 || generator.unit() < style.kickActivity {
                hit(.kick, at: time, decibels: decibels, using: &generator)
            }
            if isOnBeat && beat % 2 == 1 || generator.unit() < 0.04 {
                hit(.snare, at: time, decibels: decibels - 3, using: &generator)
            }
            if step % 2 == 0 && generator.unit() < 0.9 || generator.unit() < style.hatActivity {
                hit(.hat, at: time, decibels: decibels - 11, using: &generator)
            }
        }
    }

    private mutating func play(
        _ voice: SyntheticVoice, degree: Int, at seconds: Double, seconds length: Double, decibels: Double,
        using generator: inout SeededGenerator
    ) {
        let start = (seconds + generator.uniform(in: -0.008...0.008)) * sampleRate
        guard start < Double(frameCount) else { return }
        let cents = generator.uniform(in: -4...4)
        let semitones = Double(style.semitones(ofDegree: degree) + 12 * voice.octave)
        let frequency = style.rootHertz * PortableMath.power2((semitones + cents / 100) / 12)
        notes.append(
            StereoMix.Note(
                start: max(0, Int(start)), length: max(1, Int(length * sampleRate)),
                frequency: frequency, voice: voice,
                amplitude: PortableMath.amplitude(
                    decibels: decibels + voice.levelDecibels + generator.uniform(in: -4...2)),
                pan: voice.pan + generator.uniform(in: -0.1...0.1), phase: generator.unit()))
    }

    private mutating func hit(
        _ drum: StereoMix.Drum, at seconds: Double, decibels: Double, using generator: inout SeededGenerator
    ) {
        let start = (seconds + generator.uniform(in: -0.006...0.006)) * sampleRate
        guard start < Double(frameCount) else { return }
        hits.append(
            StereoMix.Hit(
                drum: drum, start: max(0, Int(start)),
                amplitude: PortableMath.amplitude(decibels: decibels + generator.uniform(in: -5...1)),
                pitch: style.drumPitch * generator.uniform(in: 0.94...1.06),
                pan: drum == .hat ? style.hatPan : 0))
    }
}
