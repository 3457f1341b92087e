import AudioCore

struct StereoMix {
    /// One tone of a ``SyntheticVoice``; times in frames.
    struct Note {
        var start: Int
        var length: Int
        var frequency: Double
        var voice: SyntheticVoice
        var amplitude: Double
        /// −1 left … 1 right.
        var pan: Double
        /// In turns.
        var phase: Double
    }

    enum Drum { case kick, snare, hat }

    struct Hit {
        var drum: Drum
        var start: Int
        var amplitude: Double
        /// Multiplies the drum's own frequency.
        var pitch: Double
        /// −1 left … 1 right.
        var pan: Double
    }

    private var left: [Float]
    private var right: [Float]
    private let sampleRate: Double

    init(frameCount: Int, sampleRate: Int) {
        left = [Float](repeating: 0, count: frameCount)
        right = left
        self.sampleRate = Double(sampleRate)
    }

    mutating func add(_ note: Note) {
        let voice = note.voice
        let release = Int(bounded: 0.03 * sampleRate)
        let end = min(left.count, note.start + note.length + release)
        guard note.start < end else { return }
        var real = SIMD4<Float>(repeating: 0)
        var imaginary = SIMD4<Float>(repeating: 0)
        var turnReal = SIMD4<Float>(repeating: 1)
        var turnImaginary = SIMD4<Float>(repeating: 0)
        for index in 0..<4 {
            let frequency = note.frequency * voice.partialRatios[index]
            guard frequency < 0.4 * sampleRate else { continue }
            let start = PortableMath.sineCosine(turns: note.phase * Double(index + 1))
            let turn = PortableMath.sineCosine(turns: frequency / sampleRate)
            real[index] = Float(start.cosine) * voice.partialLevels[index]
            imaginary[index] = Float(start.sine) * voice.partialLevels[index]
            turnReal[index] = Float(turn.cosine)
            turnImaginary[index] = Float(turn.sine)
        }
        let decay = Float(PortableMath.decay(halfLife: voice.halfLifeSeconds * sampleRate))
        let attackStep = Float(1 / max(1, voice.attackSeconds * sampleRate))
        let releaseStep = 1 / Float(release)
        let (gainLeft, gainRight) = Self.gains(note.amplitude, note.pan)
        var level: Float = 1
        var attack: Float = 0
        let releaseStart = note.start + note.length
        left.withUnsafeMutableBufferPointer { left in
            right.withUnsafeMutableBufferPointer { right in
                for frame in note.start..<end {
                    let next = real * turnReal - imaginary * turnImaginary
                    imaginary = real * turnImaginary + imaginary * turnReal
                    real = next
                    attack = min(1, attack + attackStep)
                    level *= decay
                    var envelope = attack * level
                    if frame >= releaseStart { envelope *= 1 - Float(frame - releaseStart) * releaseStep }
                    let value = ((real.x + real.y) + (real.z + real.w)) * envelope
                    left[frame] += value * gainLeft
                    right[frame] += value * gainRight
                }
            }
        }
    }

    mutating func add(_ hit: Hit, using generator: inout SeededGenerator) {
        let shape = hit.drum.shape
        let end = min(left.count, hit.start + Int(bounded: shape.seconds * sampleRate))
        guard hit.start < end else { return }
        let (gainLeft, gainRight) = Self.gains(hit.amplitude, hit.pan)
        let decay = Float(PortableMath.decay(halfLife: shape.halfLifeSeconds * sampleRate))
        let glide = PortableMath.decay(halfLife: 0.02 * sampleRate)
        let fadeStart = end - Int(bounded: 0.005 * sampleRate)
        var frequency = shape.hertz * hit.pitch
        let floor = frequency * 0.4
        var turns = 0.0
        var tone: Float = 0
        var level: Float = 1
        var before: Float = 0
        for frame in hit.start..<end {
            if (frame - hit.start) % 16 == 0 { frequency = floor + (frequency - floor) * power16(glide) }
            turns += frequency / sampleRate
            tone = shape.tone == 0 ? 0 : Float(PortableMath.sineCosine(turns: turns).sine)
            let noise = Float(Int16(truncatingIfNeeded: generator.next() >> 48)) * 0x1p-15
            // The difference of successive samples tilts noise towards treble.
            let hiss = noise - shape.treble * before
            before = noise
            var value = (tone * shape.tone + hiss * shape.noise) * level
            if frame > fadeStart { value *= Float(end - frame) / Float(end - fadeStart) }
            level *= decay
            left[frame] += value * gainLeft
            right[frame] += value * gainRight
        }
    }

    /// Both channels scaled to `peak` and rounded to 16 bits.
    func finished(peak: Float) -> AudioBuffer {
        var loudest: Float = 1e-9
        for index in left.indices { loudest = max(loudest, abs(left[index]), abs(right[index])) }
        let scale = peak / loudest * 32768
        return AudioBuffer(
            samples: (left + right).map { ($0 * scale).rounded() / 32768 }, sampleRate: Int(sampleRate),
            channelCount: 2)
    }

    private func power16(_ x: Double) -> Double {
        let four = x * x * x * x
        return four * four * four * four
    }

    private static func gains(_ amplitude: Double, _ pan: Double) -> (Float, Float) {
        let position = min(1, max(-1, pan)) / 2 + 0.5
        return (Float(amplitude * (1 - position).squareRoot()), Float(amplitude * position.squareRoot()))
    }
}

extension StereoMix.Drum {
    fileprivate var shape:
        (seconds: Double, halfLifeSeconds: Double, hertz: Double, tone: Float, noise: Float, treble: Float)
    {
        switch self {
        case .kick: (0.28, 0.05, 150, 1, 0.02, 0)
        case .snare: (0.22, 0.035, 280, 0.4, 0.5, 0.3)
        case .hat: (0.09, 0.012, 0, 0, 0.7, 0.95)
        }
    }
}
