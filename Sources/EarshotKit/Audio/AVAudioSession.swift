import AudioIO
import Synchronization

/// The audio settings of the program.
///
/// Linux has no recording permission and no categories. The settings are stored and have no effect.
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

    /// Makes a session on the sound server at an address, or on the user's own.
    package init(server: String?) { self.server = server }

    /// The session of the program.
    public class func sharedInstance() -> AVAudioSession { shared }

    /// The category; default: `playAndRecord`.
    public var category: Category { state.withLock { $0.category } }
    /// The mode.
    public var mode: Mode { state.withLock { $0.mode } }
    /// The options of the category.
    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }
    /// The microphone's sample rate in hertz.
    public var sampleRate: Double { AVAudioFormat.microphone.sampleRate }
    /// The microphone's channel count.
    public var inputNumberOfChannels: Int { Int(AVAudioFormat.microphone.channelCount) }

    /// Whether the sound server has a source to record.
    public var isInputAvailable: Bool { (try? Microphone(server: server)) != nil }

    /// Stores the settings; never throws.
    public func setCategory(
        _ category: Category, mode: Mode = .default, options: CategoryOptions = []
    ) throws {
        state.withLock { state in
            state.category = category
            state.mode = mode
            state.options = options
        }
    }

    /// Checks for a microphone, or stops all running engines.
    /// - Throws: `AVFAudioError`. Activation: `cannotStartRecording` if the sound server is unreachable or
    ///   refuses, `resourceNotAvailable` if it has no source. Deactivation: `isBusy` after stopping engines.
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

    /// Always granted; the sound server may still refuse to record.
    public var recordPermission: RecordPermission { .granted }

    /// Calls `response` with true before returning.
    public func requestRecordPermission(_ response: @escaping (Bool) -> Void) { response(true) }

    func engineStarted(_ engine: AVAudioEngine) {
        state.withLock { state in
            state.engines.removeAll { $0.engine == nil || $0.engine === engine }
            state.engines.append(WeakEngine(engine: engine))
        }
    }
}

extension AVAudioSession {
    /// The use of audio by a program.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Makes a category from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Recording.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Playback beside other programs, without recording; the initial category on Apple's systems.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Recording and playback.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    }

    /// The purpose of a program's audio.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Makes a mode from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// No special purpose.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Measurement, with minimal processing of the input.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    }

    /// Options of a category; they have no effect.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The bit mask.
        public let rawValue: UInt
        /// Makes options from a bit mask.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Other programs keep playing.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Other programs become quieter.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Playback uses the loudspeaker.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    }

    /// Options of ``setActive(_:options:)``; they have no effect.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bit mask.
        public let rawValue: UInt
        /// Makes options from a bit mask.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Notify other programs.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The permission to record.
    public enum RecordPermission: UInt, Sendable {
        /// Not asked yet.
        case undetermined = 0x756E_6474
        case denied = 0x6465_6E79
        case granted = 0x6772_6E74
    }
}

/// The program's permission to record.
public final class AVAudioApplication: NSObject, Sendable {
    /// The permission to record, in lower case as in Apple's API.
    public enum recordPermission: Int, Sendable {
        /// Not asked yet.
        case undetermined = 0x756E_6474
        case denied = 0x6465_6E79
        case granted = 0x6772_6E74
    }

    /// The program.
    public static let shared = AVAudioApplication()

    private override init() {}

    /// Always granted; the sound server may still refuse to record.
    public var recordPermission: recordPermission { .granted }

    /// Calls `completionHandler` with true before returning.
    public class func requestRecordPermission(completionHandler: @escaping (Bool) -> Void) {
        completionHandler(true)
    }

    /// Always true.
    public class func requestRecordPermission() async -> Bool { true }
}
