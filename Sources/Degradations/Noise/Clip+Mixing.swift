import AudioCore

extension Clip {
    /// Adds `noise`, one sample a frame, to all channels at `snrDecibels`.
    ///
    /// The SNR is the mean power of the signal without its DC offset over that of the noise, both
    /// over `signalFrames`; the signal's is the mean over channels. If the sum is above full scale
    /// it is scaled. Stores `snrDecibels` and, for the part up to 4 kHz, `snrDecibelsTo4kHz`, both
    /// measured from what was really added.
    ///
    /// - Parameter belowHertz: the end of the band that the SNR is about; nil counts all frequencies.
    mutating func mix(
        _ noise: [Float], snrDecibels: Double, belowHertz: Double? = nil, for purpose: String
    ) throws {
        let signal = audio.frames(signalFrames)
        func power(_ audio: AudioBuffer) -> Double {
            belowHertz.map { Self.energy(of: audio, belowHertz: $0) } ?? audio.meanPowerAC
        }
        let signalPower = power(signal)
        guard signalPower > 0 else {
            throw DegradationError(.unsuitableAudio, "\(purpose): the signal is silent, so there is no SNR")
        }
        let raw = AudioBuffer(samples: noise, sampleRate: audio.sampleRate)
        let rawPower = power(raw.frames(signalFrames))
        guard rawPower > 0, rawPower.isFinite else {
            throw DegradationError(.unsuitableAudio, "\(purpose): the noise is silent, so there is no SNR")
        }
        var added = raw
        added.scale(by: Float((signalPower / rawPower / Decibels.powerRatio(snrDecibels)).squareRoot()))
        added.withChannel(0) { noise in
            for channel in 0..<audio.channelCount {
                audio.withMutableChannel(channel) { plane in
                    for frame in plane.indices { plane[frame] += noise[frame] }
                }
            }
        }
        let heard = added.frames(signalFrames)
        measurements["snrDecibels"] = Decibels.fromPowerRatio(signal.meanPowerAC / heard.meanPowerAC)
        measurements["snrDecibelsTo4kHz"] = Self.bandRatioDecibels(signal, heard)
        scaleToFullScale()
    }

    /// The ratio in decibels of the mean powers up to 4 kHz; nil when either holds nothing there.
    private static func bandRatioDecibels(_ signal: AudioBuffer, _ noise: AudioBuffer) -> Double? {
        let ratio = energy(of: signal, belowHertz: 4000) / energy(of: noise, belowHertz: 4000)
        return ratio.isFinite && ratio > 0 ? Decibels.fromPowerRatio(ratio) : nil
    }

    /// The energy below a frequency, as the mean over channels.
    private static func energy(of audio: AudioBuffer, belowHertz: Double) -> Double {
        let meter = BandPower()
        return (0..<audio.channelCount).reduce(0) { sum, channel in
            sum
                + audio.withChannel(channel) {
                    meter.energy(of: $0, sampleRate: audio.sampleRate, belowHertz: belowHertz)
                }
        } / Double(audio.channelCount)
    }

    /// Fetches a recording of `kind` as long as the clip, without its DC offset and with a mean power of 1.
    func recording(
        of kind: MaterialKind, from material: any Material, using generator: inout SeededGenerator
    ) throws -> [Float] {
        // A recording may pause for as long as a short query lasts: a few other places are tried.
        for _ in 0..<16 {
            let samples = try material.excerpt(
                of: kind, frameCount: audio.frameCount, sampleRate: audio.sampleRate, using: &generator)
            guard samples.count == audio.frameCount else {
                throw DegradationError(
                    .missingMaterial,
                    "\(kind.rawValue): got \(samples.count) samples of \(audio.frameCount)")
            }
            let recording = AudioBuffer(samples: samples, sampleRate: audio.sampleRate)
            try recording.requireFiniteSamples(for: kind.rawValue)
            let power = recording.meanPowerAC
            guard power > 1e-10 else { continue }
            let mean = samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count)
            let scale = 1 / power.squareRoot()
            return samples.map { Float((Double($0) - mean) * scale) }
        }
        throw DegradationError(.missingMaterial, "16 excerpts of \(kind.rawValue) in a row were silent")
    }
}
