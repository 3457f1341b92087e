import AudioCore
import Synchronization

/// Receives what happens to a player, on a queue of the player.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound has been played to its end; `flag` is true.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// Never called: a damaged file is played as far as it can be read.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}

/// Plays a file or audio in memory through PulseAudio or PipeWire.
///
/// It releases the device when it pauses, stops or ends, and stops when it is deallocated.
public final class AVAudioPlayer: NSObject, @unchecked Sendable {
    // Sendable: all mutable state is behind the lock.
    private struct WeakDelegate: @unchecked Sendable {
        weak var delegate: (any AVAudioPlayerDelegate)?
    }

    private struct State {
        var isPlaying = false
        /// Where the sound goes on or went on last, in seconds.
        var begin: TimeInterval = 0
        /// How much was heard since, in seconds.
        var heard: TimeInterval = 0
        var numberOfLoops = 0
        /// Counts the times that the sound went on, so that the end of an earlier one is not taken for its own.
        var turn = 0
    }

    private let file: AVAudioFile
    private let engine: AVAudioEngine
    private let node = AVAudioPlayerNode()
    private let state = Mutex(State())
    private let receiver = Mutex(WeakDelegate())
    /// Removed at the end.
    private let temporary: URL?

    /// Opens a file.
    /// - Throws: `AVFAudioError` if the file is missing, unreadable or no audio.
    public convenience init(contentsOf url: URL) throws {
        try self.init(contentsOf: url, temporary: nil, server: nil)
    }

    /// Opens a file; its contents decide its type.
    /// - Throws: `AVFAudioError` if the file is missing, unreadable or no audio.
    public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        try self.init(contentsOf: url)
    }

    /// Takes the contents of a file, which are kept in a temporary file.
    /// - Throws: `AVFAudioError` if they are no audio; the error of a disk that is full.
    public convenience init(data: Data) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: url)
        do {
            try self.init(contentsOf: url, temporary: url, server: nil)
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    /// Takes the contents of a file, as ``init(data:)`` does; they decide its type.
    public convenience init(data: Data, fileTypeHint utiString: String?) throws { try self.init(data: data) }

    /// Opens a file to be played on the sound server at an address, or on the user's own.
    package convenience init(contentsOf url: URL, server: String?) throws {
        try self.init(contentsOf: url, temporary: nil, server: server)
    }

    private init(contentsOf url: URL, temporary: URL?, server: String?) throws {
        file = try AVAudioFile(forReading: url)
        self.temporary = temporary
        engine = AVAudioEngine(server: server)
        super.init()
        engine.connect(node, to: engine.mainMixerNode, format: file.processingFormat)
    }

    deinit {
        node.stop()
        engine.stop()
        if let temporary { try? FileManager.default.removeItem(at: temporary) }
    }

    /// The file; nil for audio in memory.
    public var url: URL? { temporary == nil ? file.url : nil }
    /// The format of the samples.
    public var format: AVAudioFormat { file.processingFormat }
    /// The format of the file as settings.
    public var settings: [String: Any] { file.fileFormat.settings }
    /// The number of channels.
    public var numberOfChannels: Int { Int(file.processingFormat.channelCount) }
    /// The length in seconds; the first access decodes the file.
    public var duration: TimeInterval { Double(file.length) / file.processingFormat.sampleRate }

    /// The receiver of the end, referenced weakly.
    public var delegate: (any AVAudioPlayerDelegate)? {
        get { receiver.withLock { $0.delegate } }
        set { receiver.withLock { $0.delegate = newValue } }
    }

    /// How often the sound repeats after its first time; less than 0 until it is stopped.
    ///
    /// Counts from the next ``play()`` on.
    public var numberOfLoops: Int {
        get { state.withLock { $0.numberOfLoops } }
        set { state.withLock { $0.numberOfLoops = newValue } }
    }

    /// A gain of 0 to 1; values beyond are clamped.
    public var volume: Float {
        get { node.volume }
        set { node.volume = newValue }
    }

    /// Sets the gain; there is no fade.
    public func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) { node.volume = volume }

    /// The place between left, −1, and right, 1.
    public var pan: Float {
        get { node.pan }
        set { node.pan = newValue }
    }

    /// Whether the sound plays.
    public var isPlaying: Bool { state.withLock { $0.isPlaying } }

    /// The host time in seconds.
    public var deviceCurrentTime: TimeInterval { AVAudioTime.seconds(forHostTime: AVAudioTime.now()) }

    /// What is heard now, or where the sound goes on, in seconds; 0 after the end.
    public var currentTime: TimeInterval {
        get {
            let (begin, isPlaying) = state.withLock { ($0.begin, $0.isPlaying) }
            guard isPlaying, let rendered = node.lastRenderTime,
                let time = node.playerTime(forNodeTime: rendered)
            else { return begin }
            let heard =
                Double(time.sampleTime) / time.sampleRate - engine.outputNode.presentationLatency
            // Each access estimates the latency. The sound does not go back where it grows.
            let latest = state.withLock { state in
                state.heard = max(state.heard, heard)
                return state.heard
            }
            let length = duration
            return length > 0 ? (begin + latest).truncatingRemainder(dividingBy: length) : 0
        }
        set {
            let wasPlaying = isPlaying
            stop()
            state.withLock { $0.begin = newValue.isFinite ? min(duration, max(0, newValue)) : 0 }
            if wasPlaying { play() }
        }
    }

    /// Opens the loudspeaker, which ``play()`` does too; false if there is none.
    @discardableResult public func prepareToPlay() -> Bool { (try? engine.start()) != nil }

    /// Plays from ``currentTime`` on; false if there is no loudspeaker.
    @discardableResult public func play() -> Bool { play(from: nil) }

    /// Plays from ``currentTime`` on at a time of ``deviceCurrentTime``; false if there is no loudspeaker.
    @discardableResult public func play(atTime time: TimeInterval) -> Bool {
        play(from: AVAudioTime(hostTime: AVAudioTime.hostTime(forSeconds: time)))
    }

    private func play(from when: AVAudioTime?) -> Bool {
        guard prepareToPlay() else { return false }
        let (turn, begin, loops) = state.withLock { state in
            guard !state.isPlaying else { return (nil as Int?, 0.0, 0) }
            state.isPlaying = true
            state.turn += 1
            state.heard = 0
            return (state.turn, state.begin, state.numberOfLoops)
        }
        guard let turn else { return true }
        let first = AVAudioFramePosition(Int(bounded: (begin * file.processingFormat.sampleRate).rounded()))
        let finish: AVAudioPlayerNodeCompletionHandler = { [weak self] _ in self?.finish(turn) }
        node.schedule(
            PlayerSound(file, startingFrame: first), at: nil, .dataPlayedBack, loops == 0 ? finish : nil)
        if loops != 0 {
            node.schedule(
                PlayerSound(file), at: nil, passes: loops < 0 ? nil : loops, .dataPlayedBack, finish)
        }
        node.play(at: when)
        return true
    }

    private func finish(_ turn: Int) {
        let isCurrent = state.withLock { state in
            guard state.isPlaying, state.turn == turn else { return false }
            state.isPlaying = false
            state.begin = 0
            return true
        }
        guard isCurrent else { return }
        node.stop()
        engine.stop()
        delegate?.audioPlayerDidFinishPlaying(self, successfully: true)
    }

    /// Stops where it is.
    public func pause() { stop() }

    /// Stops where it is.
    public func stop() {
        let time = currentTime
        state.withLock { state in
            if state.isPlaying { state.begin = time }
            state.isPlaying = false
        }
        node.stop()
        engine.stop()
    }
}
