/// A node at the edge of an engine.
open class AVAudioIONode: AVAudioNode, @unchecked Sendable {}

/// The node that the microphone's sound comes from.
///
/// Its format is always 48,000 Hz in one channel, deinterleaved 32-bit floats: the sound server converts what the device
/// gives. A connection from it may name any format; the node it leads to converts.
public final class AVAudioInputNode: AVAudioIONode, @unchecked Sendable {
    /// One output.
    public override var numberOfOutputs: Int { 1 }

    /// The microphone's format.
    public override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .microphone }

    /// The microphone's format.
    public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .microphone }
}

/// The node where sound ends: engines here record and play nothing, so that no microphone hears itself.
public final class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {
    /// One input.
    public override var numberOfInputs: Int { 1 }
}
