import Synchronization

/// Converts its input to the format of its outgoing connection; several channels become mono as their mean.
public final class AVAudioMixerNode: AVAudioNode, @unchecked Sendable {
    private struct Mix {
        var volume: Float = 1
        var conversion: EngineSoundConversion?
    }

    private let mix = Mutex(Mix())

    /// Makes a mixer without connections.
    public override init() {}

    public override var numberOfInputs: Int { 1 }
    public override var numberOfOutputs: Int { 1 }

    /// A gain of 0 to 1; values beyond are clamped.
    public var outputVolume: Float {
        get { mix.withLock { $0.volume } }
        set { mix.withLock { $0.volume = newValue.isNaN ? 0 : min(1, max(0, newValue)) } }
    }

    override func receive(_ sound: EngineSound) {
        let format = outputFormat(forBus: 0)
        let mixed = mix.withLock { mix in
            let conversion: EngineSoundConversion
            if let current = mix.conversion, current.format == format {
                conversion = current
            } else {
                conversion = EngineSoundConversion(to: format)
                mix.conversion = conversion
            }
            conversion.add(sound)
            return conversion.next(conversion.readyFrames, gain: mix.volume)
        }
        if mixed.frameCount > 0 { render(mixed) }
    }
}
