/// A stretch of audio on its way through an engine's nodes.
struct EngineSound {
    /// All samples, plane after plane.
    let planes: [Float]
    let frameCount: Int
    let format: AVAudioFormat
    /// The number of the first frame, at the format's rate, counted from the engine's start.
    let firstFrame: Int
    /// The host's time of the first frame, in nanoseconds.
    let hostTime: UInt64
}

/// Brings audio into one format and cuts it anew; keeps count of frames and times.
final class EngineSoundConversion {
    let format: AVAudioFormat
    private var inputFormat: AVAudioFormat?
    private var conversion: PlaneConversion?
    private var nextFrame = 0
    /// The number of the frame that should come next.
    private var expectedFrame = 0
    /// A frame of the output and the host's time at which it was heard.
    private var anchor: (frame: Double, hostTime: UInt64) = (0, 0)

    /// Prepares for output in `format`.
    init(to format: AVAudioFormat) {
        self.format = format
    }

    var readyFrames: Int { conversion?.readyFrames ?? 0 }

    /// Takes the sound that follows; what is in another format than the last, or does not follow it, starts afresh.
    func add(_ sound: EngineSound) {
        let ratio = format.sampleRate / sound.format.sampleRate
        let frame = Double(sound.firstFrame) * ratio
        if inputFormat != sound.format || expectedFrame != sound.firstFrame {
            inputFormat = sound.format
            conversion = PlaneConversion(from: sound.format, to: format, downmix: true)
            nextFrame = Int(frame.rounded())
        }
        expectedFrame = sound.firstFrame + sound.frameCount
        anchor = (frame, sound.hostTime)
        conversion?.process(sound.planes, frames: sound.frameCount)
    }

    /// The next `frames` frames, of those that are ready.
    func next(_ frames: Int, gain: Float = 1) -> EngineSound {
        var planes = conversion?.take(frames) ?? []
        if gain != 1 { planes = planes.map { $0 * gain } }
        let seconds = (Double(nextFrame) - anchor.frame) / format.sampleRate
        let hostTime = AVAudioTime.hostTime(forSeconds: Double(anchor.hostTime) / 1e9 + seconds)
        defer { nextFrame += frames }
        return EngineSound(
            planes: planes, frameCount: frames, format: format, firstFrame: nextFrame, hostTime: hostTime)
    }
}
