import AudioCore
import AudioIO
import Synchronization

extension Notification.Name {
    /// Posted by an engine that stopped because the sound server or the source went away.
    public static let AVAudioEngineConfigurationChange = Notification.Name("AVAudioEngineConfigurationChange")
}

/// Records the microphone through a chain of nodes with taps.
///
/// Sound flows from the input node along the connections and into the taps on its way. The chain need not
/// reach the output node, and nothing is played. The microphone is the default source of PulseAudio, or of
/// PipeWire's PulseAudio server. The engine stops when it is deallocated.
public final class AVAudioEngine: NSObject, @unchecked Sendable {
    // Sendable: all mutable state is behind the lock.
    private struct State {
        var recording: MicrophoneRecording?
        var usesInput = false
        var attached: Set<AVAudioNode> = []
        var mainMixer: AVAudioMixerNode?
        var failure: AVFAudioError?
    }

    static let blockSeconds = 0.02

    private let state = Mutex(State())
    private let input = AVAudioInputNode()
    private let output = AVAudioOutputNode()
    private let server: String?
    private let session: AVAudioSession

    /// Makes an engine on the user's sound server.
    public override convenience init() { self.init(server: nil) }

    /// Makes an engine on the server at an address, or on the user's own.
    package init(server: String?, session: AVAudioSession = .sharedInstance()) {
        self.server = server
        self.session = session
        super.init()
        input.engine = self
        output.engine = self
    }

    deinit { stop() }

    /// The microphone; an engine records only if this property was read.
    public var inputNode: AVAudioInputNode {
        state.withLock { $0.usesInput = true }
        return input
    }

    /// The end of the chain; it plays nothing.
    public var outputNode: AVAudioOutputNode { output }

    /// A mixer, made and connected to the output node on first access.
    public var mainMixerNode: AVAudioMixerNode {
        let (mixer, isNew) = state.withLock { state in
            if let mixer = state.mainMixer { return (mixer, false) }
            let mixer = AVAudioMixerNode()
            state.mainMixer = mixer
            return (mixer, true)
        }
        if isNew { connect(mixer, to: output, format: nil) }
        return mixer
    }

    /// The nodes attached by ``attach(_:)`` or by a connection.
    public var attachedNodes: Set<AVAudioNode> { state.withLock { $0.attached }.union([input, output]) }

    /// Adds a node; attaching it again has no effect.
    public func attach(_ node: AVAudioNode) {
        node.engine = self
        state.withLock { _ = $0.attached.insert(node) }
    }

    /// Removes a node and its connections.
    public func detach(_ node: AVAudioNode) {
        disconnectNodeInput(node)
        disconnectNodeOutput(node)
        state.withLock { _ = $0.attached.remove(node) }
        node.engine = nil
    }

    /// Connects two nodes, attaches both and replaces their previous connections.
    ///
    /// A mixer converts to the format of its outgoing connection; nil is the microphone's format. The engine
    /// may be running. A cycle, or a format that no tap accepts, is a programming error.
    public func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        if let format { AVAudioNode.check(format) }
        var next: AVAudioNode? = node2
        while let node = next {
            precondition(node !== node1, "the connection would make a cycle")
            next = node.destination?.node
        }
        for node in [node1, node2] where node !== input && node !== output { attach(node) }
        node1.connect(to: node2, format: format)
    }

    /// Connects two nodes as ``connect(_:to:format:)`` does; only bus 0 exists.
    public func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        precondition(bus1 == 0 && bus2 == 0, "bus \(max(bus1, bus2)) does not exist; use bus 0")
        connect(node1, to: node2, format: format)
    }

    /// Removes the incoming connection.
    public func disconnectNodeInput(_ node: AVAudioNode) { node.source?.disconnectOutput() }

    /// Removes the outgoing connection.
    public func disconnectNodeOutput(_ node: AVAudioNode) { node.disconnectOutput() }

    /// Whether the engine records.
    public var isRunning: Bool { state.withLock { $0.recording != nil } }

    /// The reason why the engine stopped by itself; nil while it runs and after ``stop()``.
    public var failure: AVFAudioError? { state.withLock { $0.failure } }

    /// Does nothing; only ``start()`` opens the microphone.
    public func prepare() {}

    /// Opens the microphone and records until ``stop()``; no effect while the engine runs.
    ///
    /// Each start counts frames from 0.
    /// - Throws: `AVFAudioError`. Code `cannotStartRecording` if the sound server is unreachable or refuses,
    ///   or if ``inputNode`` was never read. Code `resourceNotAvailable` if the server has no source.
    public func start() throws {
        try state.withLock { state in
            guard state.recording == nil else { return }
            guard state.usesInput else {
                throw AVFAudioError(
                    .cannotStartRecording,
                    message: "the engine has no input; use its inputNode before start()")
            }
            do {
                state.recording = record(try Microphone(server: server))
                state.failure = nil
            } catch let error as MicrophoneError {
                throw AVFAudioError(error)
            }
        }
        session.engineStarted(self)
    }

    /// Stops recording and releases the device; no tap is called afterwards.
    ///
    /// Waits up to two seconds for a running tap block, except when called from that block.
    public func stop() {
        let recording = state.withLock { state in
            state.failure = nil
            defer { state.recording = nil }
            return state.recording
        }
        recording?.stop()
    }

    /// Stops, as ``stop()`` does, so that a paused engine releases the device.
    public func pause() { stop() }

    /// Does nothing: no node keeps sound.
    public func reset() {}

    private func record(_ microphone: Microphone) -> MicrophoneRecording {
        let input = input
        return MicrophoneRecording(
            microphone, blockFrames: Int(bounded: Double(microphone.sampleRate) * Self.blockSeconds),
            onBlock: { block in
                input.render(
                    EngineSound(
                        planes: block.audio.samples, frameCount: block.audio.frameCount, format: .microphone,
                        firstFrame: block.firstFrame, hostTime: block.hostTime))
            },
            onFailure: { [weak self] error in self?.fail(error) })
    }

    private func fail(_ error: MicrophoneError) {
        let ended = state.withLock { state in
            guard state.recording?.hasEnded == true else { return false }
            state.recording = nil
            state.failure = AVFAudioError(error)
            return true
        }
        if ended {
            NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: self)
        }
    }
}
