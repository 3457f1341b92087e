/// Which matcher to measure, with which settings.
package struct MatcherRequest: Codable, Hashable, Sendable {
    /// The name of a built-in matcher; ignored where ``program`` is set.
    package var name: String
    /// Settings that differ from the standard ones, in the order they were chosen.
    package var settings: [Setting]
    /// A program of the user's that is measured instead.
    package var program: Program?

    /// The matcher that is measured unless another is chosen.
    package static let standardName = "earshot"

    package struct Setting: Codable, Hashable, Sendable {
        package var name: String
        package var value: Double

        package init(name: String, value: Double) {
            self.name = name
            self.value = value
        }
    }

    package struct Program: Codable, Hashable, Sendable {
        /// The command line that starts it, as the user gave it.
        package var command: String
        package var limits: Limits

        package init(command: String, limits: Limits = Limits()) {
            self.command = command
            self.limits = limits
        }
    }

    /// What a program may take; nil is the standard limit.
    package struct Limits: Codable, Hashable, Sendable {
        package var querySeconds: Double?
        package var startSeconds: Double?
        package var enrolSeconds: Double?
        package var readySeconds: Double?
        package var memoryGigabytes: Double?

        package init() {}
    }

    package init(
        name: String = standardName, settings: [Setting] = [], program: Program? = nil
    ) {
        self.name = name
        self.settings = settings
        self.program = program
    }

    /// Value by name; the last choice of a name counts.
    package var chosen: [String: Double] {
        Dictionary(settings.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
}
