import AudioIO
import Synchronization

/// What a tap is given: a buffer and the time of its first frame, on a thread of the engine.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A part of an engine that sound goes through; every node has one input and one output at most.
open class AVAudioNode: NSObject, @unchecked Sendable {
    // Sendable: all that changes is behind the lock.
    struct Destination {
        let node: AVAudioNode
        /// The format of the connection; nil for that of the node it comes from.
        let format: AVAudioFormat?
    }

    private struct State {
        weak var engine: AVAudioEngine?
        weak var source: AVAudioNode?
        var destination: Destination?
        var tap: NodeTap?
    }

    private let state = Mutex(State())

    override init() {}

    /// The engine that the node is attached to.
    public internal(set) var engine: AVAudioEngine? {
        get { state.withLock { $0.engine } }
        set { state.withLock { $0.engine = newValue } }
    }

    /// The number of inputs.
    public var numberOfInputs: Int { 0 }
    /// The number of outputs.
    public var numberOfOutputs: Int { 0 }

    /// The format of what comes in; bus 0 is the only one.
    public func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard let source else { return .microphone }
        return source.destination?.format ?? source.outputFormat(forBus: 0)
    }

    /// The format of what goes out; bus 0 is the only one.
    public func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        destination?.format ?? .microphone
    }

    /// Hands the node's sound to `tapBlock`, in buffers of exactly `bufferSize` frames.
    ///
    /// The sound is converted to `format`, several channels to one as their mean; nil stands for the node's own. Sizes
    /// beyond one second are one second, and size 0 is one frame. Times count frames at the format's rate from the engine's
    /// start, and carry the host's time at which the first frame was recorded. What does not fill a buffer when the engine
    /// stops is dropped. A tap installed before on the node is replaced; the buffers are the block's own to keep.
    ///
    /// A bus other than 0, and a format that is no linear PCM of a common kind or beyond 1,000 to 768,000 Hz, is a mistake
    /// that ends the program.
    public func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        precondition(bus == 0, "there is no bus \(bus) to tap, only 0")
        let format = format ?? outputFormat(forBus: bus)
        Self.check(format)
        let frames = max(1, min(Int(bufferSize), Int(format.sampleRate)))
        let tap = NodeTap(bufferFrames: frames, format: format, block: tapBlock)
        state.withLock { $0.tap = tap }
    }

    /// Ends the calls of the tap; one that is under way on another thread ends by itself.
    public func removeTap(onBus bus: AVAudioNodeBus) {
        state.withLock { $0.tap = nil }
    }

    /// Passes sound on, on the thread that records.
    func render(_ sound: EngineSound) {
        let (tap, destination) = state.withLock { ($0.tap, $0.destination) }
        tap?.take(sound) { state.withLock { $0.tap === tap } }
        destination?.node.receive(sound)
    }

    /// Takes sound from the node before, on the thread that records.
    func receive(_ sound: EngineSound) {}

    var destination: Destination? { state.withLock { $0.destination } }

    var source: AVAudioNode? { state.withLock { $0.source } }

    /// Ends the connection from this node.
    func disconnectOutput() {
        let old = state.withLock { state in
            defer { state.destination = nil }
            return state.destination
        }
        old?.node.state.withLock { $0.source = nil }
    }

    /// Connects this node to another, each losing the connection it had.
    func connect(to node: AVAudioNode, format: AVAudioFormat?) {
        disconnectOutput()
        node.source?.disconnectOutput()
        state.withLock { $0.destination = Destination(node: node, format: format) }
        node.state.withLock { $0.source = self }
    }

    static func check(_ format: AVAudioFormat) {
        precondition(
            format.commonFormat != .otherFormat
                && format.sampleRate >= Double(AudioFile.sampleRates.lowerBound)
                && format.sampleRate <= Double(AudioFile.sampleRates.upperBound),
            "\(format) cannot be used; expected linear PCM at \(AudioFile.sampleRates) Hz")
    }
}
