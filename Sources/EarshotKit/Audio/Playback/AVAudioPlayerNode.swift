import AudioCore
import Synchronization

/// Called when what was scheduled has been read, or was removed.
public typealias AVAudioNodeCompletionHandler = @Sendable () -> Void
/// Called when what was scheduled is as far as the type says, or was removed.
public typealias AVAudioPlayerNodeCompletionHandler =
    @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// How a buffer takes its place among others.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    /// The bit mask.
    public let rawValue: UInt
    /// Makes options from a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The buffer repeats until another interrupts it.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1)
    /// The buffer ends what plays and what is scheduled before it.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2)
    /// The buffer ends what was scheduled before it once the pass that plays has ended.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}

/// How far a sound is when its handler is called.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The player has read all of it.
    case dataConsumed = 0
    /// The engine has rendered all of it.
    case dataRendered = 1
    /// The loudspeaker has played all of it; in manual rendering the same as ``dataRendered``.
    case dataPlayedBack = 2
}

/// Plays buffers and files in an engine.
///
/// What is scheduled plays in the order of the calls, one after the other. An event with a time plays at that time, or as
/// soon as the one before it has ended. A sample time counts from the player's start, without its pauses; a host time
/// counts only if the engine plays on a device. Another sample rate is converted. Channels are too, as by a mixer.
///
/// A segment of a file is decoded up to its beginning when it is scheduled, because the engine cannot wait for it.
///
/// A handler is called once: at the end, or when the sound is removed. It is called on a queue of the player.
public final class AVAudioPlayerNode: AVAudioNode, @unchecked Sendable {
    fileprivate struct Player {
        var schedule = PlayerSchedule()
        var isPlaying = false
        /// When the player will start; nil if it has.
        var start: AVAudioTime?
        /// A frame of the node and the player's at that moment.
        var anchor: (node: Int, player: Int, rate: Double)?
        var volume: Float = 1
        var pan: Float = 0
    }

    private let player = Mutex(Player())
    private let completions = DispatchQueue(label: "AVAudioPlayerNode")

    /// Makes a player without connections.
    public override init() {}

    deinit { stop() }

    public override var numberOfOutputs: Int { 1 }

    /// The format of the connection; without one, that in which engines play.
    public override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        destination?.format ?? graph?.format ?? .loudspeaker
    }

    /// A gain of 0 to 1; values beyond are clamped.
    public var volume: Float {
        get { player.withLock { $0.volume } }
        set { player.withLock { $0.volume = newValue.isNaN ? 0 : min(1, max(0, newValue)) } }
    }

    /// The place between left, −1, and right, 1: the other of two channels becomes quieter.
    public var pan: Float {
        get { player.withLock { $0.pan } }
        set { player.withLock { $0.pan = newValue.isNaN ? 0 : min(1, max(-1, newValue)) } }
    }

    /// Whether the player plays, or will once the engine runs.
    public var isPlaying: Bool { player.withLock { $0.isPlaying } }

    /// Plays what is scheduled, or goes on after a pause.
    public func play() { play(at: nil) }

    /// Plays from a time of the node, a sample or host time, on; nil is now.
    public func play(at when: AVAudioTime?) {
        player.withLock { player in
            player.isPlaying = true
            player.start = when
        }
    }

    /// Plays silence until ``play()``.
    public func pause() {
        player.withLock { player in
            player.isPlaying = false
            player.anchor = nil
        }
    }

    /// Removes all that is scheduled; the player's time begins at 0 again.
    public func stop() {
        let events = player.withLock { player in
            player.isPlaying = false
            player.anchor = nil
            defer { player.schedule = PlayerSchedule() }
            return player.schedule.events
        }
        complete(events, afterSeconds: 0)
    }

    /// Does nothing: files are read as they are played.
    public func prepare(withFrameCount frameCount: AVAudioFrameCount) {}

    /// The player's time at a time of the node, such as ``AVAudioNode/lastRenderTime``; nil unless it plays.
    public func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        converted(nodeTime) { $0 - $1.node + $1.player }
    }

    /// The node's time at a time of the player; nil unless it plays.
    public func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime? {
        converted(playerTime) { $0 - $1.player + $1.node }
    }

    private func converted(
        _ time: AVAudioTime, _ shift: (Int, (node: Int, player: Int, rate: Double)) -> Int
    ) -> AVAudioTime? {
        guard time.isSampleTimeValid, let anchor = player.withLock({ $0.anchor }) else { return nil }
        let frame = Self.frame(of: time, atRate: anchor.rate)
        return AVAudioTime(
            host: time.isHostTimeValid ? time.hostTime : nil,
            sample: AVAudioFramePosition(shift(frame, anchor)), rate: anchor.rate)
    }

    fileprivate static func frame(of time: AVAudioTime, atRate rate: Double) -> Int {
        time.sampleRate == rate
            ? Int(time.sampleTime)
            : Int(bounded: (Double(time.sampleTime) * rate / time.sampleRate).rounded())
    }

    // MARK: - Scheduling

    /// Plays a buffer, which must not change until it was played.
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(buffer, at: nil, completionHandler: completionHandler)
    }

    /// Plays a buffer, which must not change until it was played.
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: nil, completionCallbackType: callbackType, completionHandler: completionHandler)
    }

    /// Plays a buffer, which must not change until it was played, at a time.
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(buffer, at: when, options: options, completionCallbackType: .dataConsumed) { _ in
            completionHandler?()
        }
    }

    /// Plays a buffer, which must not change until it was played, at a time.
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(PlayerSound(buffer), at: when, options: options, callbackType, completionHandler)
    }

    /// Plays a whole file at a time.
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(PlayerSound(file), at: when, .dataConsumed) { _ in completionHandler?() }
    }

    /// Plays a whole file at a time.
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(PlayerSound(file), at: when, callbackType, completionHandler)
    }

    /// Plays a part of a file at a time.
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleSegment(
            file, startingFrame: startFrame, frameCount: numberFrames, at: when,
            completionCallbackType: .dataConsumed
        ) { _ in completionHandler?() }
    }

    /// Plays a part of a file at a time.
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let sound = PlayerSound(file, startingFrame: startFrame, frameCount: numberFrames)
        schedule(sound, at: when, callbackType, completionHandler)
    }

    /// Plays a buffer, and waits until it has been read or was removed.
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime? = nil, options: AVAudioPlayerNodeBufferOptions = []
    ) async {
        await withCheckedContinuation { done in
            scheduleBuffer(buffer, at: when, options: options) { done.resume() }
        }
    }

    /// Plays a buffer, and waits until it is as far as the type says or was removed.
    @discardableResult
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime? = nil, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { done in
            scheduleBuffer(buffer, at: when, options: options, completionCallbackType: callbackType) {
                done.resume(returning: $0)
            }
        }
    }

    /// Plays a whole file, and waits until it has been read or was removed.
    public func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?) async {
        await withCheckedContinuation { done in
            scheduleFile(file, at: when) { done.resume() }
        }
    }

    /// Plays a whole file, and waits until it is as far as the type says or was removed.
    @discardableResult
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { done in
            scheduleFile(file, at: when, completionCallbackType: callbackType) { done.resume(returning: $0) }
        }
    }

    /// Plays a part of a file, and waits until it has been read or was removed.
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?
    ) async {
        await withCheckedContinuation { done in
            scheduleSegment(file, startingFrame: startFrame, frameCount: numberFrames, at: when) {
                done.resume()
            }
        }
    }

    /// - Parameter passes: How often the sound plays; nil for ever.
    func schedule(
        _ sound: PlayerSound, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        passes: Int? = 1, _ type: AVAudioPlayerNodeCompletionCallbackType,
        _ handler: AVAudioPlayerNodeCompletionHandler?
    ) {
        let rate = outputFormat(forBus: 0).sampleRate
        let start: PlayerSchedule.Start? = when.map { when in
            when.isSampleTimeValid ? .frame(Self.frame(of: when, atRate: rate)) : .host(when.hostTime)
        }
        let event = PlayerSchedule.Event(
            sound: sound, start: start, passes: options.contains(.loops) ? nil : passes,
            interruption: options.contains(.interrupts)
                ? .atOnce : options.contains(.interruptsAtLoop) ? .atLoop : nil,
            endType: type, end: { handler?($0) })
        player.withLock { $0.schedule.add(event) }
    }

    private func complete(_ events: [PlayerSchedule.Event], afterSeconds latency: TimeInterval) {
        for event in events {
            if event.endType == .dataPlayedBack, latency > 0 {
                completions.asyncAfter(deadline: .now() + latency) { event.end(event.endType) }
            } else {
                completions.async { event.end(event.endType) }
            }
        }
    }

    // MARK: - Rendering

    override func render(_ quantum: EngineQuantum) {
        let format = outputFormat(forBus: 0)
        let frames = quantum.frames(atRate: format.sampleRate)
        guard !frames.isEmpty else { return }
        var (sound, ended) = (quantum.silence(in: format), [PlayerSchedule.Event]())
        player.withLock { player in
            guard player.isPlaying,
                let wait = player.wait(in: frames, hostTime: quantum.playbackTime, rate: format.sampleRate)
            else { return }
            player.anchor = (frames.lowerBound + wait, player.schedule.position, format.sampleRate)
            let hostTime = quantum.playbackTime.map {
                $0 + AVAudioTime.hostTime(forSeconds: Double(wait) / format.sampleRate)
            }
            let heard = player.schedule.render(frames.count - wait, in: format, hostTime: hostTime)
            sound.replace(
                from: wait, by: heard.planes, gains: player.gains(channelCount: Int(format.channelCount)))
            ended = heard.ended
        }
        complete(ended, afterSeconds: graph?.latencySeconds ?? 0)
        pass(sound)
    }
}

extension AVAudioPlayerNode.Player {
    /// The silent frames before the player starts; nil if it does not in this quantum.
    fileprivate mutating func wait(in frames: Range<Int>, hostTime: UInt64?, rate: Double) -> Int? {
        guard let start else { return 0 }
        var wait = 0
        if start.isSampleTimeValid {
            wait = AVAudioPlayerNode.frame(of: start, atRate: rate) - frames.lowerBound
        } else if let hostTime {
            let seconds =
                AVAudioTime.seconds(forHostTime: start.hostTime) - AVAudioTime.seconds(forHostTime: hostTime)
            wait = Int(bounded: (seconds * rate).rounded())
        }
        guard wait < frames.count else { return nil }
        self.start = nil
        return max(0, wait)
    }

    fileprivate func gains(channelCount: Int) -> [Float] {
        guard channelCount == 2 else { return [Float](repeating: volume, count: channelCount) }
        return [volume * min(1, 1 - pan), volume * min(1, 1 + pan)]
    }
}

extension EngineSound {
    /// Replaces the samples from a frame on.
    fileprivate mutating func replace(from start: Int, by heard: [Float], gains: [Float]) {
        let count = frameCount - start
        for (channel, gain) in gains.enumerated() {
            for frame in 0..<count {
                planes[channel * frameCount + start + frame] = heard[channel * count + frame] * gain
            }
        }
    }
}
