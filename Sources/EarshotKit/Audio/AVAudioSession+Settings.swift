extension AVAudioSession {
    /// What a program does with audio.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Takes a name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// It records.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// It records and plays.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    }

    /// What a program's audio is for.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Takes a name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Nothing in particular.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Measuring: the least processing of the input.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    }

    /// How a category behaves; none has an effect here.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Takes bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Other programs' sound goes on.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Other programs' sound is quieter.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Sound is played by the loudspeaker.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    }

    /// How a session is activated or deactivated; none has an effect here.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Takes bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Other programs are told.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Whether a program may record.
    public enum RecordPermission: UInt, Sendable {
        /// Nobody was asked yet.
        case undetermined = 0x756E_6474
        /// The user said no.
        case denied = 0x6465_6E79
        /// The user said yes.
        case granted = 0x6772_6E74
    }
}
