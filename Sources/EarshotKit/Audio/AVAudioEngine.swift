import AudioIO
import Synchronization

extension Notification.Name {
    /// An engine, the notification's object, stopped by itself: the sound server or the source went away.
    public static let AVAudioEngineConfigurationChange = Notification.Name("AVAudioEngineConfigurationChange")
}

/// Records from the microphone through a chain of nodes whose taps hand the sound to the program.
///
/// Sound flows from the input node along the connections, as long as there are any, and to the taps on its way; whether
/// the chain reaches the output node does not matter, and nothing is played. The microphone is the default source of
/// PulseAudio, or of PipeWire's server for it. An engine that is let go of stops.
public final class AVAudioEngine: NSObject, @unchecked Sendable {
    // Sendable: all that changes is behind the lock.
    private struct State {
        var recording: MicrophoneRecording?
        var usesInput = false
        var attached: Set<AVAudioNode> = []
        var mainMixer: AVAudioMixerNode?
        var failure: AVFAudioError?
    }

    private static let blockSeconds = 0.02

    private let state = Mutex(State())
    private let input = AVAudioInputNode()
    private let output = AVAudioOutputNode()
    private let server: String?
    private let session: AVAudioSession

    /// Makes an engine that uses the user's sound server.
    public override convenience init() {
        self.init(server: nil)
    }

    /// Makes an engine of a session that uses the sound server at an address; nil for the user's own.
    package init(server: String?, session: AVAudioSession = .sharedInstance()) {
        self.server = server
        self.session = session
        super.init()
        input.engine = self
        output.engine = self
    }

    deinit {
        stop()
    }

    /// The node that the microphone's sound comes from; an engine that was never asked for it has nothing to record.
    public var inputNode: AVAudioInputNode {
        state.withLock { $0.usesInput = true }
        return input
    }

    /// The node where sound ends.
    public var outputNode: AVAudioOutputNode { output }

    /// A mixer that is made, attached and connected to the output node when it is asked for first.
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

    /// The nodes that were attached, by ``attach(_:)`` or a connection.
    public var attachedNodes: Set<AVAudioNode> { state.withLock { $0.attached }.union([input, output]) }

    /// Adds a node; attaching it twice is no mistake.
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

    /// Connects a node to another, each losing the connection it had, and attaches both.
    ///
    /// A mixer converts to the format of the connection that leads on from it; nil stands for the microphone's. May be done
    /// while the engine runs. A ring, and a format that no tap takes, is a mistake that ends the program.
    public func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        if let format { AVAudioNode.check(format) }
        var next: AVAudioNode? = node2
        while let node = next {
            precondition(node !== node1, "the connection would make a ring")
            next = node.destination?.node
        }
        for node in [node1, node2] where node !== input && node !== output { attach(node) }
        node1.connect(to: node2, format: format)
    }

    /// Connects a node to another as ``connect(_:to:format:)`` does; bus 0 is the only one.
    public func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        precondition(bus1 == 0 && bus2 == 0, "there is no bus \(max(bus1, bus2)), only 0")
        connect(node1, to: node2, format: format)
    }

    /// Ends the connection that leads to a node.
    public func disconnectNodeInput(_ node: AVAudioNode) {
        node.source?.disconnectOutput()
    }

    /// Ends the connection that leads on from a node.
    public func disconnectNodeOutput(_ node: AVAudioNode) {
        node.disconnectOutput()
    }

    /// Whether the engine records.
    public var isRunning: Bool { state.withLock { $0.recording != nil } }

    /// Why the engine stopped by itself; nil while it runs and when it was stopped.
    public var failure: AVFAudioError? { state.withLock { $0.failure } }

    /// Does nothing: all that recording needs is made by ``start()``, so that no microphone is open before.
    public func prepare() {}

    /// Opens the microphone and records until ``stop()``; nothing happens when the engine runs already.
    ///
    /// Frames are counted from 0 again at each start.
    /// - Throws: `AVFAudioError`: `cannotStartRecording` when no sound server can be reached, it refuses, or `inputNode` was
    ///   never asked for; `resourceNotAvailable` when the server has no source.
    public func start() throws {
        try state.withLock { state in
            guard state.recording == nil else { return }
            guard state.usesInput else {
                throw AVFAudioError(
                    .cannotStartRecording,
                    message: "the engine has no input: use its inputNode before start()")
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

    /// Ends the recording; when it returns the device is released and no tap is called any more.
    ///
    /// It waits for a call of a tap that is under way, at most two seconds; called by a tap it does not wait.
    public func stop() {
        let recording = state.withLock { state in
            state.failure = nil
            defer { state.recording = nil }
            return state.recording
        }
        recording?.stop()
    }

    /// The same as ``stop()``, for a device that is paused must not be held either.
    public func pause() {
        stop()
    }

    private func record(_ microphone: Microphone) -> MicrophoneRecording {
        let input = input
        return MicrophoneRecording(
            microphone, blockFrames: Int(Double(microphone.sampleRate) * Self.blockSeconds),
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
