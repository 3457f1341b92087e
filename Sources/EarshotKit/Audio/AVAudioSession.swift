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
        var preferredSampleRate = 0.0
        var preferredIOBufferDuration: TimeInterval = 0
        var preferredInputChannels = 0
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

    /// Stores the category and options.
    public func setCategory(_ category: Category, options: CategoryOptions) throws {
        try setCategory(category, mode: .default, options: options)
    }

    /// Stores the mode; never throws.
    public func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

    /// The rate that a program asked for, in hertz; 0 if none.
    public var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }
    /// Stores a rate; recordings keep that of ``sampleRate``.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        state.withLock { $0.preferredSampleRate = sampleRate }
    }

    /// The length of buffers that a program asked for, in seconds; 0 if none.
    public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.preferredIOBufferDuration } }
    /// Stores a length of buffers; a tap states its own.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        state.withLock { $0.preferredIOBufferDuration = duration }
    }

    /// The number of channels that a program asked for; 0 if none.
    public var preferredInputNumberOfChannels: Int { state.withLock { $0.preferredInputChannels } }
    /// Stores a number of channels; recordings keep that of ``inputNumberOfChannels``.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        state.withLock { $0.preferredInputChannels = count }
    }

    /// 0: the sound server does not state it.
    public var inputLatency: TimeInterval { 0 }
    /// 0: the sound server does not state it.
    public var outputLatency: TimeInterval { 0 }
    /// The length of the buffers of an engine, in seconds.
    public var ioBufferDuration: TimeInterval { EngineGraph.blockSeconds }
    /// False: the sound server does not state it.
    public var isOtherAudioPlaying: Bool { false }
    /// Stores nothing: the sound server chooses the output.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {}

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
        /// Playback.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Playback that silences other programs.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Several inputs and outputs.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
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
        /// Speech.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// A call.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// A call with video.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// A recording of video.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// Playback of films.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// A game with a voice chat.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
    }

    /// An output that takes precedence over the usual one; it has no effect.
    public enum PortOverride: UInt, Sendable {
        /// The usual output.
        case none = 0
        /// The loudspeaker.
        case speaker = 0x7370_6B72
    }

    /// The user info of ``interruptionNotification`` under `AVAudioSessionInterruptionTypeKey`.
    public enum InterruptionType: UInt, Sendable {
        /// Another program took the sound.
        case began = 1
        case ended = 0
    }

    /// The user info of ``interruptionNotification`` under `AVAudioSessionInterruptionOptionKey`.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// The bit mask.
        public let rawValue: UInt
        /// Makes options from a bit mask.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The program should go on.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The user info of ``routeChangeNotification`` under `AVAudioSessionRouteChangeReasonKey`.
    public enum RouteChangeReason: UInt, Sendable {
        /// No reason is known.
        case unknown = 0
        /// A device was connected.
        case newDeviceAvailable = 1
        /// A device was disconnected.
        case oldDeviceUnavailable = 2
        /// The category changed.
        case categoryChange = 3
        /// A program chose an output.
        case override = 4
        /// The machine woke up.
        case wakeFromSleep = 6
        /// No device is suited.
        case noSuitableRouteForCategory = 7
        /// A device changed its settings.
        case routeConfigurationChange = 8
    }

    /// Never posted: the sound server shares its devices.
    public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
    /// Never posted; an engine that loses its source posts `AVAudioEngineConfigurationChange`.
    public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
    /// Never posted; an engine that loses the sound server posts `AVAudioEngineConfigurationChange`.
    public static let mediaServicesWereResetNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")

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
        /// Devices for calls over Bluetooth.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// The same as ``allowBluetooth``.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// Devices for music over Bluetooth.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Devices on the network.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// Speech of other programs pauses.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
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

/// The user info key of ``AVAudioSession/InterruptionType``.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The user info key of ``AVAudioSession/InterruptionOptions``.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The user info key of ``AVAudioSession/RouteChangeReason``.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

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
