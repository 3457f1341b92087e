import AudioCore
import SignalProcessing

extension Clip {
    /// Adds `noise` of one channel, or of as many as the clip has, at `snrDecibels`.
    ///
    /// The SNR is the mean power of the signal's mono mix without its DC offset over that of the noise. Both are over
    /// `signalFrames` and up to `belowHertz`, by default the full band up to 22.05 kHz. A sum above full scale is scaled.
    /// Stores the measured `snrDecibels` of the full band and `snrDecibelsTo4kHz`. For `snrDecibelsPerChannel` the power
    /// of the signal is the mean over channels.
    ///
    /// - Parameter change: Changes the signal after its power was taken, as a presenter's fader does.
    /// - Throws: ``DegradationError`` with code `unsuitableAudio` if signal or noise is silent. The same if channels
    ///   cancel in the mono mix, so that its power is 60 dB below theirs.
    mutating func mix(
        _ noise: AudioBuffer, snrDecibels: Double, belowHertz: Double? = nil, for purpose: String,
        changing change: (inout AudioBuffer) -> Void = { _ in }
    ) throws {
        let signal = audio.frames(signalFrames)
        func power(_ audio: AudioBuffer) -> Double {
            belowHertz.map { Self.energy(of: audio, belowHertz: $0) } ?? Self.fullBandPower(of: audio)
        }
        let channelPower = signal.meanPowerAC
        guard channelPower > 0 else {
            throw DegradationError.unsuitable("\(purpose): the signal is silent, so there is no SNR")
        }
        let mono = signal.monoBuffer
        let signalPower = power(mono)
        guard signalPower > 0, mono.meanPowerAC > 1e-6 * channelPower else {
            throw DegradationError.unsuitable(
                "\(purpose): the channels cancel in the mono mix, so there is no SNR")
        }
        let rawPower = power(noise.frames(signalFrames).monoBuffer)
        guard rawPower > 0, rawPower.isFinite else {
            throw DegradationError.unsuitable("\(purpose): the noise is silent, so there is no SNR")
        }
        var added = noise
        added.scale(by: Float((signalPower / rawPower / Decibels.powerRatio(snrDecibels)).squareRoot()))
        change(&audio)
        audio.add(added)
        let addedPart = added.frames(signalFrames).monoBuffer
        measurements["snrDecibels"] = Decibels.fromPowerRatio(
            Self.fullBandPower(of: mono) / Self.fullBandPower(of: addedPart))
        measurements["snrDecibelsPerChannel"] = Decibels.fromPowerRatio(channelPower / addedPart.meanPowerAC)
        measurements["snrDecibelsTo4kHz"] = Self.bandRatioDecibels(mono, addedPart)
        scaleToFullScale()
    }

    /// The ratio of the mean powers up to 4 kHz in decibels; nil if either is 0.
    private static func bandRatioDecibels(_ signal: AudioBuffer, _ noise: AudioBuffer) -> Double? {
        let ratio = energy(of: signal, belowHertz: 4000) / energy(of: noise, belowHertz: 4000)
        return ratio.isFinite && ratio > 0 ? Decibels.fromPowerRatio(ratio) : nil
    }

    /// The power of one channel up to 22.05 kHz, in a unit that depends only on the sample rate.
    ///
    /// So a recording at 48 kHz has as much noise in its band as one at 44.1 kHz.
    private static func fullBandPower(of audio: AudioBuffer) -> Double {
        audio.sampleRate > 44_100 ? energy(of: audio, belowHertz: 22_050) : audio.meanPowerAC
    }

    /// The energy of one channel.
    private static func energy(of audio: AudioBuffer, belowHertz: Double) -> Double {
        audio.withChannel(0) {
            BandPower().energy(of: $0, sampleRate: audio.sampleRate, belowHertz: belowHertz)
        }
    }

    /// Cuts a recording of `kind` to the length of the clip, without DC offset and with a mean power of 1.
    func recording(
        of kind: MaterialKind, from material: any Material, using generator: inout SeededGenerator
    ) throws -> AudioBuffer {
        // A recording may be silent for the length of a short query. If so, try other places.
        for _ in 0..<16 {
            let samples = try material.excerpt(
                of: kind, frameCount: audio.frameCount, sampleRate: audio.sampleRate, using: &generator)
            guard samples.count == audio.frameCount else {
                throw DegradationError(
                    .missingMaterial, "\(kind.rawValue): got \(samples.count) samples of \(audio.frameCount)")
            }
            let recording = AudioBuffer(samples: samples, sampleRate: audio.sampleRate)
            try recording.requireFiniteSamples(for: kind.rawValue)
            let power = recording.meanPowerAC
            guard power > 1e-10 else { continue }
            let mean = samples.reduce(0.0) { $0 + Double($1) } / Double(samples.count)
            let scale = 1 / power.squareRoot()
            return AudioBuffer(
                samples: samples.map { Float((Double($0) - mean) * scale) }, sampleRate: audio.sampleRate)
        }
        throw DegradationError(.missingMaterial, "16 excerpts of \(kind.rawValue) in a row were silent")
    }

    /// The sum of `count` excerpts of speech, as long as the clip.
    ///
    /// Each voice draws from a generator of its own, so more voices leave the first ones as they are.
    ///
    /// - Parameter gain: The factor of a voice's amplitude, drawn before its excerpt.
    func voices(
        _ count: Int, of kind: MaterialKind, from material: any Material, seed: UInt64, name: String,
        gain: (inout SeededGenerator) -> Float
    ) throws -> AudioBuffer {
        var sum = [Float](repeating: 0, count: audio.frameCount)
        for voice in 0..<count {
            var generator = SeededGenerator(seed: seed, name, String(voice))
            let factor = gain(&generator)
            let speech = try recording(of: kind, from: material, using: &generator).samples
            for frame in sum.indices { sum[frame] += factor * speech[frame] }
        }
        return AudioBuffer(samples: sum, sampleRate: audio.sampleRate)
    }
}

extension AudioBuffer {
    fileprivate var monoBuffer: AudioBuffer { AudioBuffer(samples: mono(), sampleRate: sampleRate) }
}

/// The energy of samples below a frequency, from half-overlapping blocks under a sine window.
///
/// The squares of the windows add up to 1, so every sample counts once. The means of the blocks (bin 0) are left out.
struct BandPower {
    private static let blockSize = 4096
    private let fft = RealFFT(size: blockSize)
    private let window = Window.hann(blockSize).map { $0.squareRoot() }

    /// The energy of `plane` below `hertz`, in a unit that depends only on the sample rate.
    func energy(of plane: UnsafeBufferPointer<Float>, sampleRate: Int, belowHertz hertz: Double) -> Double {
        let size = Self.blockSize
        let lastBin = max(1, min(size / 2, Int(bounded: hertz * Double(size) / Double(sampleRate))))
        var block = [Float](repeating: 0, count: size)
        var power = [Float](repeating: 0, count: fft.binCount)
        var energy = 0.0
        for start in stride(from: -size / 2, to: plane.count, by: size / 2) {
            for index in 0..<size {
                let frame = start + index
                block[index] = frame >= 0 && frame < plane.count ? plane[frame] * window[index] : 0
            }
            fft.power(block, into: &power)
            for bin in 1...lastBin { energy += Double(power[bin]) }
        }
        return energy
    }
}
