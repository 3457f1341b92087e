import AudioCore
import Synchronization

/// The nodes of an engine and the devices that they render for.
///
/// It is apart from the engine, so that a thread that renders does not keep the engine.
package final class EngineGraph: Sendable {
    private struct State {
        var attached: Set<AVAudioNode> = []
        var manual: ManualRendering?
        var loudspeaker: Loudspeaker?
        /// The next frame of a loudspeaker or of manual rendering.
        var nextFrame = 0
    }

    static let blockSeconds = 0.02
    /// What the sound server keeps in advance.
    private static let bufferSeconds = 0.2
    private static var blockFrames: Int { Int(bounded: AVAudioFormat.loudspeaker.sampleRate * blockSeconds) }

    let input = AVAudioInputNode()
    let output = AVAudioOutputNode()
    private let state = Mutex(State())

    /// The nodes but those of the devices.
    var attached: Set<AVAudioNode> {
        get { state.withLock { $0.attached } }
        set { state.withLock { $0.attached = newValue } }
    }

    var manual: ManualRendering? {
        get { state.withLock { $0.manual } }
        set { state.withLock { $0.manual = newValue } }
    }

    var hasPlayers: Bool { attached.contains { $0 is AVAudioPlayerNode } }

    /// The format in which the output node plays or renders.
    var format: AVAudioFormat { manual?.format ?? .loudspeaker }

    /// The time from the rendering of sound to its playback.
    var latencySeconds: TimeInterval {
        guard let loudspeaker = state.withLock({ $0.loudspeaker }) else { return 0 }
        return Self.bufferSeconds + Double(loudspeaker.waitingFrames) / AVAudioFormat.loudspeaker.sampleRate
    }

    /// When sound is heard that is rendered now.
    private var playbackTime: UInt64 {
        AVAudioTime.now() + AVAudioTime.hostTime(forSeconds: latencySeconds)
    }

    func openLoudspeaker(server: String?) throws -> Loudspeaker {
        let format = AVAudioFormat.loudspeaker
        do {
            let loudspeaker = try Loudspeaker(
                sampleRate: Int(bounded: format.sampleRate), channelCount: Int(format.channelCount),
                bufferSeconds: Self.bufferSeconds, applicationName: ProcessInfo.processInfo.processName,
                server: server)
            state.withLock { state in
                state.loudspeaker = loudspeaker
                state.nextFrame = 0
            }
            return loudspeaker
        } catch {
            throw AVFAudioError(.cannotStartPlaying, message: "\(error)")
        }
    }

    /// Removes the loudspeaker, which still plays.
    func takeLoudspeaker() -> Loudspeaker? {
        state.withLock { state in
            defer { state.loudspeaker = nil }
            return state.loudspeaker
        }
    }

    func reset() {
        for node in attached.union([input, output]) { node.reset() }
        state.withLock { $0.nextFrame = 0 }
    }

    // MARK: - On the thread that renders

    /// Renders what the microphone heard, and plays the output if there is a loudspeaker.
    package func render(_ block: MicrophoneRecording.Block) throws {
        let sound = EngineSound(
            planes: block.audio.samples, frameCount: block.audio.frameCount, format: .microphone,
            firstFrame: block.firstFrame, hostTime: block.hostTime)
        render(
            EngineQuantum(
                firstFrame: block.firstFrame, frameCount: block.audio.frameCount,
                sampleRate: AVAudioFormat.microphone.sampleRate, hostTime: block.hostTime,
                playbackTime: playbackTime, input: sound))
        let samples = interleaved(output.take(output.readyFrames))
        guard let loudspeaker = state.withLock({ $0.loudspeaker }) else { return }
        // A microphone that is faster than the loudspeaker loses a block at times.
        guard loudspeaker.waitingFrames < 10 * Self.blockFrames else { return }
        try loudspeaker.play(samples)
    }

    /// Renders the next block for a loudspeaker, and waits until there is room for another.
    func play(on loudspeaker: Loudspeaker) throws {
        renderNext(Self.blockFrames, at: playbackTime)
        var samples = interleaved(output.take(output.readyFrames))
        if samples.isEmpty {
            samples = [Float](
                repeating: 0, count: Self.blockFrames * Int(AVAudioFormat.loudspeaker.channelCount))
        }
        try loudspeaker.play(samples, afterAllBut: Self.blockFrames)
    }

    /// Renders frames of the output by hand.
    func renderByHand(_ frames: Int) -> [Float] {
        // Without a connection to the output everything still renders, for taps.
        if output.sources.isEmpty {
            renderNext(frames, at: nil)
            return [Float](repeating: 0, count: frames * Int(format.channelCount))
        }
        // A conversion of the rate begins some frames late.
        while output.readyFrames < frames { renderNext(frames - output.readyFrames, at: nil) }
        return output.take(frames)
    }

    private func renderNext(_ frames: Int, at hostTime: UInt64?) {
        let first = state.withLock { state in
            defer { state.nextFrame += frames }
            return state.nextFrame
        }
        render(
            EngineQuantum(
                firstFrame: first, frameCount: frames, sampleRate: format.sampleRate, hostTime: hostTime,
                playbackTime: hostTime))
    }

    private func render(_ quantum: EngineQuantum) {
        var order: [AVAudioNode] = []
        func add(_ node: AVAudioNode) {
            guard !order.contains(node) else { return }
            node.sources.forEach(add)
            order.append(node)
        }
        attached.forEach(add)
        add(input)
        add(output)
        for node in order { node.render(quantum) }
    }

    private func interleaved(_ planes: [Float]) -> [Float] {
        let channels = Int(AVAudioFormat.loudspeaker.channelCount)
        let frames = planes.count / channels
        return (0..<planes.count).map { planes[$0 % channels * frames + $0 / channels] }
    }
}
