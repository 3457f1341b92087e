import AudioCore

/// A block of audio on its way through an engine's nodes.
struct EngineSound {
    var planes: [Float]
    let frameCount: Int
    let format: AVAudioFormat
    /// The number of the first frame since the engine's start, at the format's rate.
    let firstFrame: Int
    /// The host time of the first frame, in nanoseconds; nil in manual rendering.
    let hostTime: UInt64?
}

/// A stretch of time that an engine renders at once.
struct EngineQuantum {
    /// The number of the first frame since the engine's start.
    let firstFrame: Int
    let frameCount: Int
    let sampleRate: Double
    /// The host time of the first frame, in nanoseconds; nil in manual rendering.
    let hostTime: UInt64?
    /// When the loudspeaker plays the first frame: later than the host time, if that is the microphone's.
    let playbackTime: UInt64?
    /// What the microphone heard meanwhile.
    var input: EngineSound?

    /// The frames of another rate in the same time; consecutive quanta have consecutive ones.
    func frames(atRate rate: Double) -> Range<Int> {
        func frame(_ number: Int) -> Int {
            rate == sampleRate
                ? number : Int(bounded: (Double(number) * rate / sampleRate).rounded(.down))
        }
        return frame(firstFrame)..<frame(firstFrame + frameCount)
    }

    func silence(in format: AVAudioFormat) -> EngineSound {
        let frames = frames(atRate: format.sampleRate)
        return EngineSound(
            planes: [Float](repeating: 0, count: frames.count * Int(format.channelCount)),
            frameCount: frames.count, format: format, firstFrame: frames.lowerBound, hostTime: hostTime)
    }
}

/// Converts audio to one format and divides it into blocks with frame numbers and host times.
final class EngineSoundConversion {
    let format: AVAudioFormat
    private var inputFormat: AVAudioFormat?
    private var conversion: PlaneConversion?
    private var nextFrame = 0
    private var expectedFrame = 0
    /// An output frame and the host time of its recording.
    private var anchor: (frame: Double, hostTime: UInt64?) = (0, nil)

    init(to format: AVAudioFormat) { self.format = format }

    var readyFrames: Int { conversion?.readyFrames ?? 0 }

    /// Adds the next sound; a gap or a new format restarts the conversion.
    func add(_ sound: EngineSound) {
        let ratio = format.sampleRate / sound.format.sampleRate
        let frame = Double(sound.firstFrame) * ratio
        if inputFormat != sound.format || expectedFrame != sound.firstFrame {
            inputFormat = sound.format
            conversion = PlaneConversion(from: sound.format, to: format, downmix: true)
            nextFrame = Int(bounded: frame.rounded())
        }
        expectedFrame = sound.firstFrame + sound.frameCount
        anchor = (frame, sound.hostTime)
        conversion?.process(sound.planes, frames: sound.frameCount)
    }

    func next(_ frames: Int, gain: Float = 1) -> EngineSound {
        var planes = conversion?.take(frames) ?? []
        if gain != 1 { planes = planes.map { $0 * gain } }
        let seconds = (Double(nextFrame) - anchor.frame) / format.sampleRate
        let hostTime = anchor.hostTime.map { AVAudioTime.hostTime(forSeconds: Double($0) / 1e9 + seconds) }
        defer { nextFrame += frames }
        return EngineSound(
            planes: planes, frameCount: frames, format: format, firstFrame: nextFrame, hostTime: hostTime)
    }
}
