import Degradations

extension SampleRun {
    /// What is tried: a plan of every kind of degradation.
    static var conditions: [Condition] {
        lengths + noises + skews + rates + formats + channels + combinations
    }

    private static var lengths: [Condition] {
        let recalls = [(1.0, 0.88), (2, 1), (3, 1), (5, 1), (8, 1), (10, 1), (15, 1)]
        return recalls.map {
            Condition(
                degradation: "truncation", severity: "\(Int($0.0)) s", value: $0.0, length: $0.0,
                recall: $0.1, chain: [])
        }
    }

    private static var noises: [Condition] {
        func family(
            _ name: String, _ points: [(Double, Double)], _ step: (Double) -> any Degradation
        ) -> [Condition] {
            points.map { snr, recall in
                Condition(
                    degradation: name, severity: "\(Int(snr)) dB", value: snr, recall: recall,
                    chain: [step(snr)], coarseness: 12 - snr / 2)
            }
        }
        func noise(_ colour: NoiseColour, _ points: [(Double, Double)]) -> [Condition] {
            family("\(colour.rawValue) noise", points) { Noise(colour: colour, snrDecibels: $0, seed: 7) }
        }
        return noise(.white, [(20, 1), (10, 1), (5, 1), (0, 1), (-3, 0.99), (-6, 0.95), (-9, 0.81)])
            + noise(.pink, [(10, 1), (5, 1), (0, 0.96), (-3, 0.8), (-6, 0.66), (-9, 0.3)])
            + noise(.brown, [(0, 1), (-6, 0.98)])
            + family("babble", [(10, 1), (5, 0.95), (0, 0.92), (-3, 0.83), (-6, 0.69)]) {
                Babble(voices: 6, snrDecibels: $0, seed: 7)
            }
            + family("ambience", [(5, 0.97), (0, 1), (-6, 0.98)]) { Ambience(snrDecibels: $0, seed: 7) }
            + family("other music", [(0, 0.88), (-6, 0.8)]) { MusicNoise(snrDecibels: $0, seed: 7) }
    }

    private static var skews: [Condition] {
        func family(
            _ name: String, _ percents: [Double], _ step: (Double) -> any Degradation,
            _ skew: (Double) -> (Double, Double)
        ) -> [Condition] {
            percents.map { (percent: Double) -> Condition in
                let (frequency, time) = skew(percent / 100)
                return Condition(
                    degradation: name,
                    severity: percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %",
                    value: percent, chain: [step(percent)],
                    frequencySkew: frequency,
                    timeSkew: time, coarseness: 2)
            }
        }
        return family("speed", [-5, -4, -3, -2, -1, -0.5, 0.5, 1, 2, 3, 4, 5], Speed.init) { ($0, $0) }
            + family("pitch", [-5, -3, -1, 1, 3, 5], Pitch.init) { ($0, 0) }
            + family("tempo", [-5, -2, 2, 5], Tempo.init) { (0, $0) }
    }

    private static var rates: [Condition] {
        [8000, 11025, 16000, 22050, 32000, 48000, 96000, 192_000].map { rate in
            Condition(
                degradation: "sample rate", severity: "\(rate) Hz", value: Double(rate),
                chain: [Resample(sampleRateHertz: rate)])
        }
    }

    private static var formats: [Condition] {
        let names = [
            "wav-pcm-u8", "wav-pcm24", "wav-float", "wav-ulaw", "wav-ima-adpcm", "wav-gsm610", "flac-16",
            "mp3-64k",
            "mp3-32k", "ogg-vorbis-q0.1", "ogg-opus-24k", "ogg-opus-12k",
        ]
        return names.map { name in
            Condition(
                degradation: "format", severity: name, recall: name == "ogg-opus-12k" ? 0.93 : 1,
                chain: [Format(encoding: name)], coarseness: 2)
        } + [
            Condition(
                degradation: "format", severity: "ogg-opus-24k at 37800 Hz",
                chain: [Format(encoding: "ogg-opus-24k")], isOffered: false)
        ]
    }

    private static var channels: [Condition] {
        [0.3, 0.8, 1.5].map { (seconds: Double) -> Condition in
            Condition(
                degradation: "room", severity: "\(seconds) s RT60", value: seconds,
                chain: [Room(rt60Seconds: seconds, seed: 7)], coarseness: 20)
        } + [
            Condition(
                degradation: "telephone band", chain: [Band(.phone)], coarseness: 2),
            Condition(
                degradation: "clipping", severity: "12 dB", value: 12, recall: 0.97,
                chain: [Clipping(overdriveDecibels: 12)], coarseness: 3),
        ]
    }

    private static var combinations: [Condition] {
        let babble = Babble(voices: 6, snrDecibels: 5, seed: 7)
        return [
            Condition(
                degradation: "bar: room, babble, phone", recall: 0.92,
                chain: [Room(rt60Seconds: 0.8, seed: 7), babble, Band(.phone)], coarseness: 20),
            Condition(
                degradation: "speed 3 %, babble 5 dB, MP3", recall: 0.95,
                chain: [Speed(percent: 3), babble, Format(encoding: "mp3-64k")],
                frequencySkew: 0.03, timeSkew: 0.03, coarseness: 6),
            Condition(
                degradation: "speed 2 %, white 10 dB", length: 3,
                chain: [Speed(percent: 2), Noise(colour: .white, snrDecibels: 10, seed: 7)],
                frequencySkew: 0.02, timeSkew: 0.02, coarseness: 6),
        ]
    }

}
