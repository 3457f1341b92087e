/// Makes new instances of one matcher.
public struct Contestant: Sendable {
    /// The name on a command line.
    public let name: String
    /// One sentence about it.
    public let summary: String
    /// The settings that a user or a search may change.
    public let tunables: [TunableSetting]
    /// Changed settings, by name.
    public private(set) var chosen: [String: Double] = [:]
    /// The paths of the files of its code; other contents make another matcher.
    public let codeFiles: [String]
    /// Whether code and settings alone decide its answers: it reads no other file and asks no other process.
    ///
    /// What is known of its answers then holds for the next process, too.
    public let isDecidedByCode: Bool
    private let build: @Sendable ([String: Double]) throws -> any Matcher

    /// Describes a contestant without settings.
    ///
    /// - Parameter codeFiles: The running program unless it says otherwise.
    public init(
        name: String, summary: String, codeFiles: [String] = [Self.ownProgram], isDecidedByCode: Bool = false,
        make: @escaping @Sendable () throws -> any Matcher
    ) {
        self.init(
            name: name, summary: summary, tunables: [], codeFiles: codeFiles, isDecidedByCode: isDecidedByCode
        ) { _ in try make() }
    }

    /// Describes a contestant with settings.
    ///
    /// - Parameters:
    ///   - codeFiles: The running program unless it says otherwise.
    ///   - make: Receives the settings that differ from the standard, valid for `tunables`.
    public init(
        name: String, summary: String, tunables: [TunableSetting], codeFiles: [String] = [Self.ownProgram],
        isDecidedByCode: Bool = false,
        make: @escaping @Sendable (_ chosen: [String: Double]) throws -> any Matcher
    ) {
        self.name = name
        self.summary = summary
        self.tunables = tunables
        self.codeFiles = codeFiles
        self.isDecidedByCode = isDecidedByCode
        build = make
    }

    /// The program that runs, as Linux names it.
    public static let ownProgram = "/proc/self/exe"

    /// Makes an instance without references.
    public func make() throws -> any Matcher { try build(chosen) }

    /// Returns a copy with more settings changed.
    ///
    /// - Throws: ``SettingError`` for an unknown setting or an invalid value.
    public func choosing(_ values: [String: Double]) throws -> Contestant {
        var contestant = self
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let tunable = try tunable(named: name)
            try tunable.check(value)
            contestant.chosen[name] = value == tunable.standard ? nil : value
        }
        return contestant
    }

    /// The setting of a name.
    ///
    /// - Throws: ``SettingError`` with the known ones if there is none.
    public func tunable(named name: String) throws -> TunableSetting {
        if let known = tunables.first(where: { $0.name == name }) { return known }
        let known = tunables.map(\.name).joined(separator: ", ")
        throw SettingError(
            "\(self.name) has no setting \(name); "
                + (known.isEmpty ? "none can be chosen" : "there are \(known)"))
    }
}
