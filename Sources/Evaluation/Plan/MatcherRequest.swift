import Matchers

/// Which matcher to measure, with which settings.
public struct MatcherRequest: Codable, Hashable, Sendable {
    /// The name of a built-in matcher; ignored where ``program`` is set.
    public var name: String
    /// Settings that differ from the standard ones, in the order they were chosen.
    public var settings: [Setting]
    /// A program of the user's that is measured instead.
    public var program: Program?

    /// The matcher that is measured unless another is chosen.
    public static let standardName = "earshot"

    /// A value for one setting.
    public struct Setting: Codable, Hashable, Sendable {
        /// The name of the setting.
        public var name: String
        /// The value of a number; 0 for a word.
        public var value: Double
        /// The value of a choice; nil for a number.
        public var word: String?

        /// Chooses a value.
        public init(name: String, value: Double) {
            self.name = name
            self.value = value
        }

        /// Chooses a value that may be a number or a word.
        public init(name: String, text: String) {
            self.name = name
            let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
            value = number ?? 0
            word = number == nil ? text : nil
        }
    }

    /// A program that speaks the contract of matchers.
    public struct Program: Codable, Hashable, Sendable {
        /// The command line that starts it, as the user gave it.
        public var command: String
        /// What it may take.
        public var limits: Limits
        /// The names of the variables that it gets beside the usual ones; nil for none.
        public var variables: [String]?
        /// The settings that the command line has as `{name}`; nil if the program states its own.
        public var settings: [TunableSetting]?

        /// Names a program.
        public init(
            command: String, limits: Limits = Limits(), variables: [String] = [],
            settings: [TunableSetting]? = nil
        ) {
            self.command = command
            self.limits = limits
            self.variables = variables.isEmpty ? nil : variables
            self.settings = settings
        }
    }

    /// What a program may take; nil is the standard limit.
    public struct Limits: Codable, Hashable, Sendable {
        /// Seconds for an answer.
        public var querySeconds: Double?
        /// Seconds until it greets.
        public var startSeconds: Double?
        /// Seconds for a reference.
        public var enrolSeconds: Double?
        /// Seconds for the index.
        public var readySeconds: Double?
        /// Memory of its processes together, in 10⁹ bytes.
        public var memoryGigabytes: Double?

        /// The standard limits.
        public init() {}
    }

    /// Asks for a built-in matcher, or for a program.
    public init(
        name: String = standardName, settings: [Setting] = [], program: Program? = nil
    ) {
        self.name = name
        self.settings = settings
        self.program = program
    }
}
