import AudioCore
import AudioIO
import Synchronization

extension Notification.Name {
    /// Posted by an engine that stopped because the sound server or the source went away.
    public static let AVAudioEngineConfigurationChange = Notification.Name("AVAudioEngineConfigurationChange")
}

/// Passes sound through nodes: from the microphone and from players, into taps and to the loudspeaker.
///
/// Sound flows along the connections and into the taps on its way. What reaches the output node is played, if the engine
/// has an ``AVAudioPlayerNode`` or no input. An engine that only records plays nothing, so that the microphone cannot
/// record its output. The devices are the default source and sink of PulseAudio, or of PipeWire's PulseAudio server. The
/// engine stops when it is deallocated.
public final class AVAudioEngine: NSObject, @unchecked Sendable {
    // Sendable: all mutable state is behind the lock.
    private struct State {
        /// The thread of the device that sets the pace; nil if there is none.
        var thread: AudioThread?
        var isRunning = false
        var usesInput = false
        var usesOutput = false
        var mainMixer: AVAudioMixerNode?
        var failure: AVFAudioError?
    }

    private let state = Mutex(State())
    package let graph = EngineGraph()
    /// Held while a call renders by hand.
    let manualLock = NSLock()
    private let server: String?
    private let session: AVAudioSession

    /// Makes an engine on the user's sound server.
    public override convenience init() { self.init(server: nil) }

    /// Makes an engine on the server at an address, or on the user's own.
    package init(server: String?, session: AVAudioSession = .sharedInstance()) {
        self.server = server
        self.session = session
        super.init()
        graph.input.engine = self
        graph.output.engine = self
    }

    deinit { stop() }

    /// The microphone; an engine records only if this property was read.
    public var inputNode: AVAudioInputNode {
        state.withLock { $0.usesInput = true }
        return graph.input
    }

    /// The end of the chain.
    public var outputNode: AVAudioOutputNode {
        state.withLock { $0.usesOutput = true }
        return graph.output
    }

    /// A mixer, made and connected to the output node on first access.
    public var mainMixerNode: AVAudioMixerNode {
        let (mixer, isNew) = state.withLock { state in
            if let mixer = state.mainMixer { return (mixer, false) }
            let mixer = AVAudioMixerNode()
            state.mainMixer = mixer
            return (mixer, true)
        }
        if isNew { connect(mixer, to: outputNode, format: nil) }
        return mixer
    }

    /// The nodes attached by ``attach(_:)`` or by a connection.
    public var attachedNodes: Set<AVAudioNode> { graph.attached.union([graph.input, graph.output]) }

    /// Adds a node; attaching it again has no effect.
    ///
    /// The first player in an engine that records opens the loudspeaker. If that fails, the engine stops, as it does when
    /// the microphone fails.
    public func attach(_ node: AVAudioNode) {
        let isFirstPlayer = node is AVAudioPlayerNode && !graph.hasPlayers
        node.engine = self
        graph.attached.insert(node)
        guard isFirstPlayer else { return }
        do {
            try state.withLock { state in
                guard state.thread != nil, state.usesInput else { return }
                _ = try graph.openLoudspeaker(server: server)
            }
        } catch {
            stop(failure: error)
        }
    }

    /// Removes a node and its connections.
    public func detach(_ node: AVAudioNode) {
        disconnectNodeInput(node)
        disconnectNodeOutput(node)
        graph.attached.remove(node)
        node.engine = nil
    }

    /// Connects two nodes and attaches both.
    ///
    /// A mixer takes any number of inputs; other nodes lose their previous connections. A mixer converts to the format of
    /// its outgoing connection; nil is a format of the node's own. The engine may be running. A cycle, or a format that no
    /// tap accepts, is a programming error.
    public func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        let isConnected = node1.destination.map { $0.node === node2 } ?? false
        let bus = isConnected ? node1.destination?.bus : (node2 as? AVAudioMixerNode)?.freeBus
        connect(node1, to: node2, fromBus: 0, toBus: bus ?? 0, format: format)
    }

    /// Connects two nodes as ``connect(_:to:format:)`` does, at a bus of a mixer; other nodes have bus 0 only.
    public func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        precondition(
            bus1 == 0 && (bus2 == 0 || node2 is AVAudioMixerNode && bus2 > 0),
            "bus \(bus1 == 0 ? bus2 : bus1) does not exist; use bus 0")
        if let format { AVAudioNode.check(format) }
        var next: AVAudioNode? = node2
        while let node = next {
            precondition(node !== node1, "the connection would make a cycle")
            next = node.destination?.node
        }
        for node in [node1, node2] where node !== graph.input && node !== graph.output { attach(node) }
        node1.connect(to: node2, bus: bus2, format: format)
    }

    /// Removes the incoming connections.
    public func disconnectNodeInput(_ node: AVAudioNode) {
        for source in node.sources { source.disconnectOutput() }
    }

    /// Removes the connection that comes in at a bus.
    public func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        node.source(bus)?.disconnectOutput()
    }

    /// Removes the outgoing connection.
    public func disconnectNodeOutput(_ node: AVAudioNode) { node.disconnectOutput() }

    /// Removes the outgoing connection; only bus 0 exists.
    public func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) { node.disconnectOutput() }

    /// Whether the engine records, plays, or may render by hand.
    public var isRunning: Bool { state.withLock { $0.isRunning } }

    /// The reason why the engine stopped by itself; nil while it runs and after ``stop()``.
    public var failure: AVFAudioError? { state.withLock { $0.failure } }

    /// Does nothing; only ``start()`` opens devices.
    public func prepare() {}

    /// Records and plays until ``stop()``, or begins rendering by hand; no effect while the engine runs.
    ///
    /// Opens the microphone if ``inputNode`` was read, and the loudspeaker if there is a player or no input. Each start
    /// counts frames from 0.
    /// - Throws: `AVFAudioError`. Code `cannotStartRecording` or `cannotStartPlaying` if the sound server is unreachable or
    ///   refuses. Code `cannotStartRecording` if the engine has neither input, output nor player. Code
    ///   `resourceNotAvailable` if the server has no source.
    public func start() throws {
        try state.withLock { state in
            guard !state.isRunning else { return }
            if graph.manual == nil { state.thread = try openDevices(state) }
            state.isRunning = true
            state.failure = nil
        }
        session.engineStarted(self)
    }

    private func openDevices(_ state: State) throws -> AudioThread {
        guard state.usesInput || state.usesOutput || graph.hasPlayers else {
            throw AVFAudioError(
                .cannotStartRecording,
                message: "the engine has nothing to do; use its inputNode or mainMixerNode before start()")
        }
        guard state.usesInput else { return play(on: try graph.openLoudspeaker(server: server)) }
        do {
            let microphone = try Microphone(server: server)
            if graph.hasPlayers { _ = try graph.openLoudspeaker(server: server) }
            return record(microphone)
        } catch let error as MicrophoneError {
            throw AVFAudioError(error)
        }
    }

    /// Stops and releases the devices; no tap is called afterwards.
    ///
    /// Waits up to two seconds for a running tap block, except when called from that block. Players keep what is
    /// scheduled, and go on with the next start.
    public func stop() {
        let (thread, loudspeaker) = state.withLock { state in
            state.failure = nil
            state.isRunning = false
            defer { state.thread = nil }
            return (state.thread, graph.takeLoudspeaker())
        }
        thread?.stop()
        loudspeaker?.close()
    }

    /// Stops, as ``stop()`` does, so that a paused engine releases the devices.
    public func pause() { stop() }

    /// Forgets the sound on its way through the nodes; the time of rendering by hand begins at 0 again.
    ///
    /// Players keep what is scheduled.
    public func reset() {
        graph.reset()
        graph.manual?.sampleTime = 0
    }

    func requireStopped() throws {
        guard !isRunning else {
            throw AVFAudioError(.isRunning, message: "the engine is running; call stop() first")
        }
    }

    private func record(_ microphone: Microphone) -> AudioThread {
        let recording = MicrophoneRecording(
            microphone, blockFrames: Int(bounded: Double(microphone.sampleRate) * EngineGraph.blockSeconds),
            onBlock: { [graph, weak self] block in
                do { try graph.render(block) } catch {
                    self?.stop(failure: AVFAudioError(.cannotStartPlaying, message: "\(error)"))
                }
            },
            onFailure: { [weak self] error in self?.fail(AVFAudioError(error)) })
        return recording.thread
    }

    private func play(on loudspeaker: Loudspeaker) -> AudioThread {
        AudioThread(
            name: "loudspeaker", close: { loudspeaker.close() },
            run: { [graph] isRunning in while isRunning() { try graph.play(on: loudspeaker) } },
            onFailure: { [weak self] error in
                self?.fail(AVFAudioError(.cannotStartPlaying, message: "\(error)"))
            })
    }

    /// Notes the failure of a thread, unless another one runs by now.
    private func fail(_ error: AVFAudioError) {
        if state.withLock({ $0.thread?.hasEnded == true }) { stop(failure: error) }
    }

    private func stop(failure: any Error) {
        stop()
        state.withLock { $0.failure = failure as? AVFAudioError }
        NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: self)
    }
}
