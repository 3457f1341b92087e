import AudioIO
import Synchronization

/// How the program uses audio.
///
/// Linux asks for no permission and knows no categories: they are kept for the program to read, and whoever may use the sound
/// server may record under each, as on macOS.
public final class AVAudioSession: NSObject, Sendable {
    private struct WeakEngine {
        weak var engine: AVAudioEngine?
    }

    private struct State {
        var category = Category.playAndRecord
        var mode = Mode.default
        var options: CategoryOptions = []
        var engines: [WeakEngine] = []
    }

    private static let shared = AVAudioSession(server: nil)

    private let state = Mutex(State())
    private let server: String?

    /// Makes a session of the sound server at an address; nil for the user's own.
    package init(server: String?) {
        self.server = server
    }

    /// The program's session.
    public class func sharedInstance() -> AVAudioSession { shared }

    /// The category that was set; `playAndRecord` at first.
    public var category: Category { state.withLock { $0.category } }
    /// The mode that was set.
    public var mode: Mode { state.withLock { $0.mode } }
    /// The options that were set.
    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }
    /// The microphone's sample rate in hertz.
    public var sampleRate: Double { AVAudioFormat.microphone.sampleRate }
    /// The microphone's channels.
    public var inputNumberOfChannels: Int { Int(AVAudioFormat.microphone.channelCount) }

    /// Whether there is a source to record from at present.
    public var isInputAvailable: Bool { (try? Microphone(server: server)) != nil }

    /// Keeps the category, the mode and the options; never throws here.
    public func setCategory(
        _ category: Category, mode: Mode = .default, options: CategoryOptions = []
    ) throws {
        state.withLock { state in
            state.category = category
            state.mode = mode
            state.options = options
        }
    }

    /// Checks that there is a microphone, or stops the engines that run.
    /// - Throws: `AVFAudioError`. Activating: `cannotStartRecording` when no sound server can be reached or it refuses,
    ///   `resourceNotAvailable` when it has no source. Deactivating: `isBusy` when engines ran, which have been stopped.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active {
            do {
                try Microphone(server: server).close()
            } catch {
                throw AVFAudioError(error)
            }
            return
        }
        let running = state.withLock { state in
            defer { state.engines = [] }
            return state.engines.compactMap(\.engine).filter(\.isRunning)
        }
        for engine in running { engine.stop() }
        if !running.isEmpty {
            throw AVFAudioError(
                .isBusy, message: "\(running.count) engines were running and have been stopped")
        }
    }

    /// Whether the program may record: always granted, for the sound server decides when it is asked to.
    public var recordPermission: RecordPermission { .granted }

    /// Calls `response` with true, on the caller's thread and before it returns.
    public func requestRecordPermission(_ response: @escaping (Bool) -> Void) {
        response(true)
    }

    /// Remembers an engine, to be stopped with the session.
    func engineStarted(_ engine: AVAudioEngine) {
        state.withLock { state in
            state.engines.removeAll { $0.engine == nil || $0.engine === engine }
            state.engines.append(WeakEngine(engine: engine))
        }
    }
}
