import AudioIO
import Synchronization

/// Receives a buffer and the time of its first frame, on a thread of the engine.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A node of an engine, with at most one input and one output.
open class AVAudioNode: NSObject, @unchecked Sendable {
    // Sendable: all mutable state is behind the lock.
    struct Destination {
        let node: AVAudioNode
        /// Nil for the format of the node it comes from.
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

    /// The format of the input; only bus 0 exists.
    public func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard let source else { return .microphone }
        return source.destination?.format ?? source.outputFormat(forBus: 0)
    }

    /// The format of the output; only bus 0 exists.
    public func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        destination?.format ?? .microphone
    }

    /// Passes the node's sound to `tapBlock` in buffers of exactly `bufferSize` frames.
    ///
    /// The sound is converted to `format`, or to the node's own if nil. Several channels become mono as their
    /// mean. A buffer has at least 1 frame and lasts at most one second. Times count frames since the
    /// engine's start, at the format's rate, with the host time of the first frame. A partial buffer at the
    /// stop is dropped. The block may keep its buffers. A new tap replaces the previous one.
    ///
    /// A bus other than 0 is a programming error. So is a format that is no common linear PCM of 1,000 to
    /// 768,000 Hz.
    public func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        precondition(bus == 0, "bus \(bus) does not exist; use bus 0")
        let format = format ?? outputFormat(forBus: bus)
        Self.check(format)
        let frames = max(1, min(Int(bufferSize), Int(format.sampleRate)))
        let tap = NodeTap(bufferFrames: frames, format: format, block: tapBlock)
        state.withLock { $0.tap = tap }
    }

    /// Removes the tap; a call on another thread may still be running.
    public func removeTap(onBus bus: AVAudioNodeBus) { state.withLock { $0.tap = nil } }

    /// Passes sound to the tap and the next node, on the recording thread.
    func render(_ sound: EngineSound) {
        let (tap, destination) = state.withLock { ($0.tap, $0.destination) }
        tap?.take(sound) { state.withLock { $0.tap === tap } }
        destination?.node.receive(sound)
    }

    /// Receives sound from the previous node, on the recording thread.
    func receive(_ sound: EngineSound) {}

    var destination: Destination? { state.withLock { $0.destination } }
    var source: AVAudioNode? { state.withLock { $0.source } }

    func disconnectOutput() {
        let old = state.withLock { state in
            defer { state.destination = nil }
            return state.destination
        }
        old?.node.state.withLock { $0.source = nil }
    }

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

/// Collects a node's sound into buffers of one size.
///
/// Sendable: the block runs on the recording thread. Two such threads can exist briefly, if the block itself
/// restarts the engine. Their shared state is behind the lock.
final class NodeTap: @unchecked Sendable {
    private let bufferFrames: Int
    private let conversion: Mutex<EngineSoundConversion>
    private let block: AVAudioNodeTapBlock

    init(bufferFrames: Int, format: AVAudioFormat, block: @escaping AVAudioNodeTapBlock) {
        self.bufferFrames = bufferFrames
        self.block = block
        conversion = Mutex(EngineSoundConversion(to: format))
    }

    /// Takes the next sound; `isCurrent` is false once the tap has been removed.
    func take(_ sound: EngineSound, while isCurrent: () -> Bool) {
        let pieces = conversion.withLock { conversion in
            conversion.add(sound)
            return (0..<conversion.readyFrames / bufferFrames).map { _ in conversion.next(bufferFrames) }
        }
        for piece in pieces {
            guard isCurrent(),
                let buffer = AVAudioPCMBuffer(
                    pcmFormat: piece.format, frameCapacity: AVAudioFrameCount(bufferFrames))
            else { return }
            piece.planes.withUnsafeBufferPointer { buffer.write($0, frames: bufferFrames, at: 0) }
            block(
                buffer,
                AVAudioTime(
                    hostTime: piece.hostTime, sampleTime: AVAudioFramePosition(piece.firstFrame),
                    atRate: piece.format.sampleRate))
        }
    }
}

/// An input or output node of an engine.
open class AVAudioIONode: AVAudioNode, @unchecked Sendable {}

/// The microphone as a node.
///
/// Its format is always 48,000 Hz mono, deinterleaved 32-bit floats. The sound server converts from the
/// device's format. A connection may name any format, and the next node converts.
public final class AVAudioInputNode: AVAudioIONode, @unchecked Sendable {
    public override var numberOfOutputs: Int { 1 }

    /// The microphone's format.
    public override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .microphone }

    /// The microphone's format.
    public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .microphone }
}

/// The end of the chain; engines play nothing, so that the microphone cannot record their output.
public final class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {
    public override var numberOfInputs: Int { 1 }
}
