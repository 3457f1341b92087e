import AudioIO
import Synchronization

/// Receives a buffer and the time of its first frame, on a thread of the engine.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A node of an engine, with at most one output.
open class AVAudioNode: NSObject, @unchecked Sendable {
    // Sendable: all mutable state is behind the lock.
    struct Destination {
        let node: AVAudioNode
        let bus: AVAudioNodeBus
        /// Nil for the format of the node it comes from.
        let format: AVAudioFormat?
    }

    private struct Source {
        weak var node: AVAudioNode?
    }

    private struct State {
        weak var engine: AVAudioEngine?
        weak var graph: EngineGraph?
        var sources: [AVAudioNodeBus: Source] = [:]
        var destination: Destination?
        var tap: NodeTap?
        var lastRender: AVAudioTime?
    }

    private let state = Mutex(State())

    override init() {}

    /// The engine that the node is attached to.
    public internal(set) var engine: AVAudioEngine? {
        get { state.withLock { $0.engine } }
        set {
            state.withLock { state in
                state.engine = newValue
                state.graph = newValue?.graph
            }
        }
    }

    /// What renders the node, also while its engine is being deallocated.
    var graph: EngineGraph? { state.withLock { $0.graph } }

    /// The number of inputs.
    public var numberOfInputs: Int { 0 }
    /// The number of outputs.
    public var numberOfOutputs: Int { 0 }

    /// The format of the input of a bus.
    public func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard let source = source(bus) else { return .microphone }
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
    /// engine's start, at the format's rate, with the host time of the first frame, if the engine uses a device. A
    /// partial buffer at the stop is dropped. The block may keep its buffers. A new tap replaces the previous one.
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

    /// The time of the sound that was rendered last, at the rate of the output; nil if the engine does not run.
    public var lastRenderTime: AVAudioTime? {
        engine?.isRunning == true ? state.withLock { $0.lastRender } : nil
    }

    /// Forgets the sound that is on its way through the node.
    public func reset() {}

    /// Renders a quantum, after the nodes that it comes from, on the thread of the engine.
    func render(_ quantum: EngineQuantum) {}

    /// Passes rendered sound to the tap and the next node.
    func pass(_ sound: EngineSound) {
        let time = AVAudioTime(
            host: sound.hostTime, sample: AVAudioFramePosition(sound.firstFrame),
            rate: sound.format.sampleRate)
        let (tap, destination) = state.withLock { state in
            state.lastRender = time
            return (state.tap, state.destination)
        }
        tap?.take(sound) { state.withLock { $0.tap === tap } }
        destination?.node.receive(sound, from: self)
    }

    /// Receives sound from a connected node.
    func receive(_ sound: EngineSound, from source: AVAudioNode) {}

    var destination: Destination? { state.withLock { $0.destination } }
    /// The connected nodes, by their bus.
    var sources: [AVAudioNode] {
        state.withLock { $0.sources.sorted { $0.key < $1.key }.compactMap(\.value.node) }
    }

    func source(_ bus: AVAudioNodeBus) -> AVAudioNode? { state.withLock { $0.sources[bus]?.node } }

    /// The least bus without a connection.
    final var freeBus: AVAudioNodeBus {
        state.withLock { state in
            var bus = 0
            while state.sources[bus]?.node != nil { bus += 1 }
            return bus
        }
    }

    func disconnectOutput() {
        let old = state.withLock { state in
            defer { state.destination = nil }
            return state.destination
        }
        if let old { old.node.state.withLock { $0.sources[old.bus] = nil } }
    }

    func connect(to node: AVAudioNode, bus: AVAudioNodeBus, format: AVAudioFormat?) {
        disconnectOutput()
        node.source(bus)?.disconnectOutput()
        state.withLock { $0.destination = Destination(node: node, bus: bus, format: format) }
        node.state.withLock { $0.sources[bus] = Source(node: self) }
    }

    static func isUsable(_ format: AVAudioFormat) -> Bool {
        format.commonFormat != .otherFormat
            && format.sampleRate >= Double(AudioFile.sampleRates.lowerBound)
            && format.sampleRate <= Double(AudioFile.sampleRates.upperBound)
    }

    static func check(_ format: AVAudioFormat) {
        precondition(
            isUsable(format),
            "\(format) cannot be used; expected linear PCM at \(AudioFile.sampleRates) Hz")
    }
}

/// Collects a node's sound into buffers of one size.
///
/// Sendable: the block runs on the engine's thread. Two such threads can exist briefly, if the block itself
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
                    host: piece.hostTime, sample: AVAudioFramePosition(piece.firstFrame),
                    rate: piece.format.sampleRate))
        }
    }
}

/// An input or output node of an engine.
open class AVAudioIONode: AVAudioNode, @unchecked Sendable {
    /// How long sound takes from the engine to the device or back, in seconds; 0 if unknown.
    public var presentationLatency: TimeInterval { 0 }
}

/// The microphone as a node.
///
/// Its format is always 48,000 Hz mono, deinterleaved 32-bit floats. The sound server converts from the
/// device's format. A connection may name any format, and the next node converts. It is silent in manual rendering.
public final class AVAudioInputNode: AVAudioIONode, @unchecked Sendable {
    public override var numberOfOutputs: Int { 1 }

    /// The microphone's format.
    public override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .microphone }

    /// The microphone's format.
    public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .microphone }

    override func render(_ quantum: EngineQuantum) {
        pass(quantum.input ?? quantum.silence(in: .microphone))
    }
}

/// The end of the chain: the loudspeaker, or the buffers of manual rendering.
public final class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {
    private let conversion = Mutex<EngineSoundConversion?>(nil)

    public override var numberOfInputs: Int { 1 }

    /// The format of what is played or rendered.
    public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        graph?.format ?? .loudspeaker
    }

    /// How long sound waits for its turn at the sound server, in seconds.
    public override var presentationLatency: TimeInterval { graph?.latencySeconds ?? 0 }

    public override func reset() { conversion.withLock { $0 = nil } }

    override func receive(_ sound: EngineSound, from source: AVAudioNode) {
        let format = outputFormat(forBus: 0)
        conversion.withLock { conversion in
            if conversion?.format != format { conversion = EngineSoundConversion(to: format) }
            conversion?.add(sound)
        }
    }

    var readyFrames: Int { conversion.withLock { $0?.readyFrames ?? 0 } }

    /// Removes ready frames.
    func take(_ frames: Int) -> [Float] { conversion.withLock { $0?.next(frames).planes ?? [] } }
}
