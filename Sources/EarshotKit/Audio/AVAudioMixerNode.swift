import Synchronization

/// Adds its inputs and converts them to the format of its outgoing connection.
///
/// Without a format in that connection it has the rate of the engine's output, and as many channels as its inputs have at
/// most. Several channels become mono as their mean.
public final class AVAudioMixerNode: AVAudioNode, @unchecked Sendable {
    private struct Mix {
        var volume: Float = 1
        /// By the node that the sound comes from.
        var conversions: [ObjectIdentifier: EngineSoundConversion] = [:]
    }

    private let mix = Mutex(Mix())

    /// Makes a mixer without connections.
    public override init() {}

    /// The number of connected inputs, and one that is free.
    public override var numberOfInputs: Int { sources.count + 1 }
    public override var numberOfOutputs: Int { 1 }
    /// An input without a connection.
    public var nextAvailableInputBus: AVAudioNodeBus { freeBus }

    /// A gain of 0 to 1; values beyond are clamped.
    public var outputVolume: Float {
        get { mix.withLock { $0.volume } }
        set { mix.withLock { $0.volume = newValue.isNaN ? 0 : min(1, max(0, newValue)) } }
    }

    public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        if let format = destination?.format { return format }
        let channels = sources.map { $0.outputFormat(forBus: 0).channelCount }.max() ?? 1
        let rate = graph?.format.sampleRate ?? AVAudioFormat.loudspeaker.sampleRate
        return AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels) ?? .microphone
    }

    public override func reset() { mix.withLock { $0.conversions = [:] } }

    override func receive(_ sound: EngineSound, from source: AVAudioNode) {
        let format = outputFormat(forBus: 0)
        let key = ObjectIdentifier(source)
        mix.withLock { mix in
            if mix.conversions[key]?.format != format {
                mix.conversions[key] = EngineSoundConversion(to: format)
            }
            mix.conversions[key]?.add(sound)
        }
    }

    override func render(_ quantum: EngineQuantum) {
        let sources = sources
        guard !sources.isEmpty else { return pass(quantum.silence(in: outputFormat(forBus: 0))) }
        let mixed = mix.withLock { mix in
            let keys = sources.map { ObjectIdentifier($0) }
            mix.conversions = mix.conversions.filter { keys.contains($0.key) }
            // An input that has not rendered yet adds nothing.
            let inputs = keys.compactMap { mix.conversions[$0] }
            guard let frames = inputs.map(\.readyFrames).min(), frames > 0 else { return nil as EngineSound? }
            let sounds = inputs.map { $0.next(frames, gain: mix.volume) }
            return sounds.dropFirst().reduce(into: sounds[0]) { mixed, sound in
                mixed.planes = zip(mixed.planes, sound.planes).map(+)
            }
        }
        if let mixed { pass(mixed) }
    }
}
