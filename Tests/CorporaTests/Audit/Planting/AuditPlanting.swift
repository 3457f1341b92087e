import AudioCore
import AudioIO
import Corpora
import Degradations
import SignalProcessing

/// Puts known copies, shared sections and contaminated noise among recordings, for an audit to find.
///
/// Each kind is a third of the plants. Copies go through a codec, another rate, another level or slight noise.
/// Sections of 5 to 10 s replace the beginning, the end or the middle of another recording, with crossfades. Noise
/// recordings hold 5 to 10 s of a recording, 0, 3 or 6 dB below a collage of effects above 100 Hz.
struct AuditPlanting: Sendable {
    struct Plant: Sendable {
        var kind: AuditFinding.Kind
        var source: String
        var sourceSeconds: Double
        var carrier: String
        var carrierSeconds: Double
        var lengthSeconds: Double
        var treatment: String
    }

    private(set) var plants: [Plant] = []
    private(set) var recordings: [EquivalenceAudit.Recording]

    private static let crossfadeSeconds = 0.05
    private static let quietestDecibels = -40.0
    private let material: any Material
    private var generator: SeededGenerator

    init(
        in recordings: [EquivalenceAudit.Recording], count: Int, seed: UInt64, material: any Material
    ) throws {
        self.recordings = recordings
        self.material = material
        generator = SeededGenerator(seed: seed, "audit plants")
        var tracks = ShuffledNumbers(count: recordings.count)
        var drawn = 0
        func draw() throws -> (index: Int, audio: AudioBuffer) {
            while drawn < recordings.count {
                drawn += 1
                let index = tracks.draw(using: &generator)
                guard recordings[index].part != .noise else { continue }
                let audio = try recordings[index].load()
                if audio.durationSeconds >= 25 { return (index, audio) }
            }
            throw CorpusError(
                .unreadable, "\(recordings.count) recordings are too few for \(count) plants of 25 s and more"
            )
        }
        for number in 0..<count {
            let source = try draw()
            switch number % 3 {
            case 0: copy(recordings[source.index], source.audio, number: number)
            case 1: try insert(recordings[source.index], source.audio, into: draw(), number: number)
            default: try contaminate(with: recordings[source.index], source.audio, number: number)
            }
        }
    }

    private mutating func copy(
        _ source: EquivalenceAudit.Recording, _ audio: AudioBuffer, number: Int
    ) {
        let treatments: [(words: String, steps: [any Degradation])] = [
            ("MP3 at 64 kbit/s", [Format(encoding: "mp3-64k")]),
            ("Vorbis at low quality", [Format(encoding: "ogg-vorbis-q0.1")]),
            ("12 dB softer", [Gain(decibels: -12)]),
            ("at 22.05 kHz", [Resample(sampleRateHertz: 22_050)]),
            (
                "under white noise 20 dB below",
                [Noise(colour: .white, snrDecibels: 20, seed: generator.next() >> 12)]
            ),
            (
                "6 dB softer, at 22.05 kHz, MP3 at 64 kbit/s",
                [Gain(decibels: -6), Resample(sampleRateHertz: 22_050), Format(encoding: "mp3-64k")]
            ),
        ]
        let treatment = treatments[number / 3 % treatments.count]
        let chain = DegradationChain(steps: treatment.steps.map { AnyDegradation($0) })
        let seconds = audio.durationSeconds
        let load = source.load
        add(
            Plant(
                kind: .duplicate, source: source.id, sourceSeconds: 0, carrier: "planted/copy-\(number + 1)",
                carrierSeconds: 0, lengthSeconds: seconds, treatment: treatment.words),
            part: source.part
        ) {
            try chain.render(
                source: load(), startSeconds: 0, lengthSeconds: seconds, material: NoMaterial()
            ).audio
        }
    }

    private mutating func insert(
        _ source: EquivalenceAudit.Recording, _ audio: AudioBuffer,
        into host: (index: Int, audio: AudioBuffer),
        number: Int
    ) throws {
        let cut = try passage(of: audio, sampleRate: host.audio.sampleRate)
        let last = host.audio.frameCount - cut.samples.count
        let places = [("beginning", 0), ("end", last), ("middle", generator.index(below: last + 1))]
        let (word, start) = places[number / 3 % places.count]
        let overlap = Int(Self.crossfadeSeconds * Double(host.audio.sampleRate))
        let range = start..<(start + cut.samples.count)
        let level = AudioBuffer(
            samples: host.audio.mono()[range].map { $0 }, sampleRate: host.audio.sampleRate
        ).meanPowerAC
        let own = AudioBuffer(samples: cut.samples, sampleRate: host.audio.sampleRate).meanPowerAC
        let gain = level > Decibels.powerRatio(Self.quietestDecibels) ? Float((level / own).squareRoot()) : 1
        let recording = recordings[host.index]
        plants.append(
            Plant(
                kind: .sharedSection, source: source.id, sourceSeconds: cut.startSeconds,
                carrier: recording.id,
                carrierSeconds: Double(start) / Double(host.audio.sampleRate),
                lengthSeconds: Double(cut.samples.count) / Double(host.audio.sampleRate),
                treatment: "put in at the \(word)"))
        let load = recording.load
        recordings[host.index].load = {
            var mix = try load()
            for channel in 0..<mix.channelCount {
                mix.withMutableChannel(channel) { plane in
                    for (index, sample) in cut.samples.enumerated() {
                        let share = Self.share(index, of: cut.samples.count, overlap: overlap)
                        plane[start + index] =
                            plane[start + index] * (1 - share).squareRoot() + sample * gain
                            * share.squareRoot()
                    }
                }
            }
            return mix
        }
    }

    private mutating func contaminate(
        with source: EquivalenceAudit.Recording, _ audio: AudioBuffer, number: Int
    ) throws {
        let rate = 44_100
        let cut = try passage(of: audio, sampleRate: rate)
        let frames = Int(generator.uniform(in: 30...60) * Double(rate))
        let below = [0.0, 3, 6][number / 3 % 3]
        let noise = try material.excerpt(
            of: .ambience, frameCount: frames, sampleRate: rate, using: &generator)
        let start = generator.index(below: frames - cut.samples.count)
        let range = start..<(start + cut.samples.count)
        let level = Self.heardPower(Array(noise[range]), sampleRate: rate)
        let own = Self.heardPower(cut.samples, sampleRate: rate)
        let gain = Float((level / own * Decibels.powerRatio(-below)).squareRoot())
        let overlap = Int(Self.crossfadeSeconds * Double(rate))
        add(
            Plant(
                kind: .contamination, source: source.id, sourceSeconds: cut.startSeconds,
                carrier: "planted/noise-\(number + 1)", carrierSeconds: Double(start) / Double(rate),
                lengthSeconds: Double(cut.samples.count) / Double(rate),
                treatment: "\(Int(below)) dB below ambience"),
            part: .noise
        ) {
            var mix = noise
            for (index, sample) in cut.samples.enumerated() {
                let share = Self.share(index, of: cut.samples.count, overlap: overlap)
                mix[start + index] += sample * gain * share.squareRoot()
            }
            return AudioBuffer(samples: mix, sampleRate: rate)
        }
    }

    private mutating func add(
        _ plant: Plant, part: EquivalenceAudit.Part, load: @escaping @Sendable () throws -> AudioBuffer
    ) {
        plants.append(plant)
        recordings.append(
            .init(id: plant.carrier, part: part, durationSeconds: plant.lengthSeconds, load: load))
    }

    /// 5 to 10 s of one channel from where there is sound.
    private mutating func passage(
        of audio: AudioBuffer, sampleRate: Int
    ) throws -> (samples: [Float], startSeconds: Double) {
        let seconds = generator.uniform(in: 5...10)
        let mono = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
        let length = Int(seconds * Double(audio.sampleRate))
        for _ in 0..<64 {
            let start = generator.index(below: max(1, mono.frameCount - length))
            let cut = mono.frames(start..<min(mono.frameCount, start + length))
            guard
                Self.heardPower(cut.samples, sampleRate: audio.sampleRate)
                    > Decibels.powerRatio(Self.quietestDecibels)
            else { continue }
            return (
                try Resampler.resample(cut, to: sampleRate).samples, Double(start) / Double(audio.sampleRate)
            )
        }
        throw CorpusError(.unreadable, "a recording to plant from is silent nearly throughout")
    }

    /// The mean power above 100 Hz.
    ///
    /// Effects of equal power mask a drone of 40 Hz.
    private static func heardPower(_ samples: [Float], sampleRate: Int) -> Double {
        var filtered = samples
        var filter = BiquadCascade.butterworthHighPass(
            order: 4, frequency: 100, sampleRate: Double(sampleRate))
        filter.process(&filtered)
        return AudioBuffer(samples: filtered, sampleRate: sampleRate).meanPower
    }

    /// The weight of a plant at one of its samples: rises from 0 and falls to 0 over `overlap` samples.
    private static func share(_ index: Int, of count: Int, overlap: Int) -> Float {
        let edge = Float(min(index, count - 1 - index)) + 0.5
        return min(1, edge / Float(max(1, overlap)))
    }
}
