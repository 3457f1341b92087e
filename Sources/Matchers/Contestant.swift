/// Makes fresh instances of one matcher.
public struct Contestant: Sendable {
    /// The word that chooses it on a command line.
    public let name: String
    /// One sentence about it.
    public let summary: String
    /// The settings that may be chosen anew.
    public let tunables: [TunableSetting]
    /// Settings that were chosen anew, by name.
    public private(set) var chosen: [String: Double] = [:]
    private let build: @Sendable ([String: Double]) throws -> any Matcher

    /// Describes a contestant without settings.
    public init(name: String, summary: String, make: @escaping @Sendable () throws -> any Matcher) {
        self.init(name: name, summary: summary, tunables: []) { _ in try make() }
    }

    /// Describes a contestant with settings.
    ///
    /// - Parameter make: Receives the settings that differ from the standard, valid for `tunables`.
    public init(
        name: String, summary: String, tunables: [TunableSetting],
        make: @escaping @Sendable (_ chosen: [String: Double]) throws -> any Matcher
    ) {
        self.name = name
        self.summary = summary
        self.tunables = tunables
        build = make
    }

    /// Makes an instance that knows no reference yet.
    public func make() throws -> any Matcher { try build(chosen) }

    /// The same contestant with some settings chosen anew, on top of those that were.
    ///
    /// - Throws: ``SettingError`` when there is no such setting, or it cannot have that value.
    public func choosing(_ values: [String: Double]) throws -> Contestant {
        var contestant = self
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let tunable = tunables.first(where: { $0.name == name }) else {
                let known = tunables.map(\.name).joined(separator: ", ")
                throw SettingError(
                    "\(self.name) has no setting \(name); "
                        + (known.isEmpty ? "none can be chosen" : "there are \(known)"))
            }
            try tunable.check(value)
            contestant.chosen[name] = value == tunable.standard ? nil : value
        }
        return contestant
    }
}
