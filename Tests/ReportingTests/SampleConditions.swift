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
        func family(_ name: String, _ step: String, _ points: [(Double, Double)]) -> [Condition] {
            let colour = step == "noise" ? #""colour":"\#(name.split(separator: " ")[0])","# : ""
            return points.map { snr, recall in
                Condition(
                    degradation: name, severity: "\(Int(snr)) dB", value: snr, recall: recall,
                    chain: [#"{"\#(step)":{\#(colour)"seed":7,"snrDecibels":\#(snr)}}"#],
                    coarseness: 12 - snr / 2)
            }
        }
        return family(
            "white noise", "noise", [(20, 1), (10, 1), (5, 1), (0, 1), (-3, 0.99), (-6, 0.95), (-9, 0.81)])
            + family("pink noise", "noise", [(10, 1), (5, 1), (0, 0.96), (-3, 0.8), (-6, 0.66), (-9, 0.3)])
            + family("brown noise", "noise", [(0, 1), (-6, 0.98)])
            + family("babble", "babble", [(10, 1), (5, 0.95), (0, 0.92), (-3, 0.83), (-6, 0.69)])
            + family("ambience", "ambience", [(5, 0.97), (0, 1), (-6, 0.98)])
            + family("other music", "music", [(0, 0.88), (-6, 0.8)])
    }

    private static var skews: [Condition] {
        func family(_ name: String, _ percents: [Double], _ skew: (Double) -> (Double, Double)) -> [Condition]
        {
            percents.map { (percent: Double) -> Condition in
                let (frequency, time) = skew(percent / 100)
                return Condition(
                    degradation: name,
                    severity: percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %",
                    value: percent, chain: [#"{"\#(name)":{"percent":\#(percent)}}"#],
                    frequencySkew: frequency,
                    timeSkew: time, coarseness: 2)
            }
        }
        return family("speed", [-5, -4, -3, -2, -1, -0.5, 0.5, 1, 2, 3, 4, 5]) { ($0, $0) }
            + family("pitch", [-5, -3, -1, 1, 3, 5]) { ($0, 0) }
            + family("tempo", [-5, -2, 2, 5]) { (0, $0) }
    }

    private static var rates: [Condition] {
        [8000, 11025, 16000, 22050, 32000, 48000, 96000, 192_000].map { rate in
            Condition(
                degradation: "sample rate", severity: "\(rate) Hz", value: Double(rate),
                chain: [#"{"resample":{"sampleRateHertz":\#(rate)}}"#])
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
                chain: [#"{"format":{"encoding":"\#(name)"}}"#], coarseness: 2)
        } + [
            Condition(
                degradation: "format", severity: "ogg-opus-24k at 37800 Hz",
                chain: [#"{"format":{"encoding":"ogg-opus-24k"}}"#], isOffered: false)
        ]
    }

    private static var channels: [Condition] {
        [0.3, 0.8, 1.5].map { (seconds: Double) -> Condition in
            Condition(
                degradation: "room", severity: "\(seconds) s RT60", value: seconds,
                chain: [#"{"room":{"rt60Seconds":\#(seconds)}}"#], coarseness: 20)
        } + [
            Condition(
                degradation: "telephone band", chain: [#"{"band":{"kind":"telephone"}}"#], coarseness: 2),
            Condition(
                degradation: "clipping", severity: "12 dB", value: 12, recall: 0.97,
                chain: [#"{"clipping":{"decibels":12}}"#], coarseness: 3),
        ]
    }

    private static var combinations: [Condition] {
        func chain(_ names: String...) -> [String] { names.map { #"{"\#($0)":{}}"# } }
        return [
            Condition(
                degradation: "bar: room, babble, phone", recall: 0.92, chain: chain("room", "babble", "band"),
                coarseness: 20),
            Condition(
                degradation: "speed 3 %, babble 5 dB, MP3", recall: 0.95,
                chain: chain("speed", "babble", "format"),
                frequencySkew: 0.03, timeSkew: 0.03, coarseness: 6),
            Condition(
                degradation: "speed 2 %, white 10 dB", length: 3, chain: chain("speed", "noise"),
                frequencySkew: 0.02, timeSkew: 0.02, coarseness: 6),
        ]
    }

}
