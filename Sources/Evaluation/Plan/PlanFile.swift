import AudioCore
import Corpora
import Degradations

/// A plan as declared in a YAML file: families of degradations with the severities to try.
///
/// `Plans.md` describes the file key by key.
package struct PlanFile: PlanDocument {
    package var head: PlanHead
    package var positives: Quota
    package var negatives: Quota
    /// The folds by which negatives are also cut from enrolled tracks; nil cuts none from them.
    package var negativeFolds: NegativeFolds?
    package var speedCopies: SpeedCopies?
    package var latencyTrials: Int
    /// The shift, in frames of the source, of each drawn start and of the truth: the same queries at another phase.
    package var startShiftFrames = 0
    /// The length of queries where a family states none.
    package var lengthSeconds = Self.usualLengthSeconds
    package var families: [Family]

    private static let usualLengthSeconds = 5.0

    package struct Family: Sendable {
        package var name: String
        package var line: Int
        package var isSilence: Bool
        /// Whether trial n of every cell has the same recording, start and random choices.
        package var sharesCuts: Bool
        /// Overrides the plan's number of positives in each cell.
        package var positives: Quota?
        /// Overrides the plan's number of negatives in each cell.
        package var negatives: Quota?
        package var members: [Member]

        /// The rung that all its cells are of; nil outside a ladder.
        package var rung: Rung? { members.first?.cell.rung }

        package init(
            name: String, line: Int = 1, isSilence: Bool = false, sharesCuts: Bool = false,
            positives: Quota? = nil, negatives: Quota? = nil, members: [Member]
        ) {
            self.name = name
            self.line = line
            self.isSilence = isSilence
            self.sharesCuts = sharesCuts
            self.positives = positives
            self.negatives = negatives
            self.members = members
        }
    }

    package struct Member: Sendable {
        package var cell: Cell
        package var chain: [DegradationTemplate]

        package init(cell: Cell, chain: [DegradationTemplate]) {
            self.cell = cell
            self.chain = chain
        }
    }

    /// A plan that no file declares.
    package init(
        _ head: PlanHead, positives: Quota = .trials(0), negativeFolds: NegativeFolds? = nil,
        latencyTrials: Int = 0, families: [Family] = []
    ) {
        self.head = head
        self.positives = positives
        negatives = .trials(0)
        self.negativeFolds = negativeFolds
        self.latencyTrials = latencyTrials
        self.families = families
    }
}

extension PlanFile {
    package init(_ reader: YAMLReader) throws {
        let plan = try reader.mapping()
        head = try PlanHead(plan, of: reader)
        positives = try plan.quota("positives")
        negatives = try plan.quota("negatives")
        negativeFolds =
            try plan["negativeFolds"] == nil
            ? nil : NegativeFolds(count: plan.count("negativeFolds", in: NegativeFolds.counts))
        speedCopies = try plan.mapping("speedCopies").map { try SpeedCopies($0) }
        latencyTrials = try plan["latencyTrials"] == nil ? 500 : plan.count("latencyTrials", in: 0...500)
        let lengthSeconds = try plan.length("lengthSeconds", default: Self.usualLengthSeconds)
        self.lengthSeconds = lengthSeconds
        families = try plan.list("families").map { try Family($0.mapping(), lengthSeconds: lengthSeconds) }
        try plan.rejectUnknownKeys()
        if families.isEmpty { throw plan.error("the plan is empty: `families` holds none") }
        if negativeFolds == nil, let family = families.first(where: { $0.rung?.leavesOutPiece ?? false }) {
            throw ConfigurationError(
                file: head.path, line: family.line,
                message: "the rung \(family.name) needs `negativeFolds`, which leave the piece out")
        }
        // A copy resembles the other copies of its track, so it cannot be left out by itself.
        if negativeFolds != nil, speedCopies != nil {
            throw plan.error("`negativeFolds` and `speedCopies` exclude each other")
        }
    }

    /// Overrides values of the plan; every override changes the digest.
    ///
    /// - Throws: ``ConfigurationError`` when the plan has ``speedCopies`` and `negativeFolds` is given.
    package mutating func override(
        corpus: String? = nil, positives: Int? = nil, negatives: Int? = nil,
        negativeFolds: NegativeFolds? = nil
    ) throws {
        var changes: [String] = []
        if let corpus, corpus != head.corpus {
            head.corpus = corpus
            changes.append("corpus \(corpus)")
        }
        if let positives {
            self.positives = .trials(positives)
            for index in families.indices { families[index].positives = nil }
            changes.append("positives \(positives)")
        }
        if let negatives {
            self.negatives = .trials(negatives)
            for index in families.indices { families[index].negatives = nil }
            changes.append("negatives \(negatives)")
        }
        if let negativeFolds {
            guard speedCopies == nil else {
                throw ConfigurationError(
                    file: head.path, line: nil, message: "negative folds exclude the plan's `speedCopies`")
            }
            self.negativeFolds = negativeFolds
            changes.append("negative folds \(negativeFolds.count)")
        }
        head.note(changes)
    }
}

extension YAMLMapping {
    /// A rung by its name; nil where the key is missing.
    fileprivate func rung(_ key: String) throws -> Rung? {
        guard self[key] != nil else { return nil }
        let name = try string(key)
        guard let rung = Rung(rawValue: name) else {
            let known = Rung.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("`\(key)`: expected one of \(known), found \"\(name)\"")
        }
        return rung
    }
}

extension PlanFile.Family {
    /// The number of positives or negatives in each cell; a rung has either.
    func quota(isPositive: Bool, in file: PlanFile) -> Quota {
        let isNone = isPositive ? isSilence || rung?.isSameRecording == false : rung?.isSameRecording == true
        if isNone { return .trials(0) }
        return isPositive ? positives ?? file.positives : negatives ?? file.negatives
    }

    init(_ family: YAMLMapping, lengthSeconds planLength: Double) throws {
        name = try family.string("name")
        line = family.line
        let source = try family.string("source", default: "track")
        guard ["track", "silence"].contains(source) else {
            throw family.error("`source`: expected track or silence, found \"\(source)\"")
        }
        isSilence = source == "silence"
        sharesCuts = try family.bool("sameCuts", default: false)
        positives = try family["positives"] == nil ? nil : family.quota("positives")
        negatives = try family["negatives"] == nil ? nil : family.quota("negatives")
        let unit = try family.string("unit", default: "")
        let length = try family.length("lengthSeconds", default: planLength)
        let chain = try family.list("chain")
        let rung = try family.rung("rung")
        if isSilence, rung != nil { throw family.error("silence is on no `rung`") }

        let expansions = ["severities", "lengths", "variants", "cross"].filter { family[$0] != nil }
        guard expansions.count <= 1 else {
            throw family.error(
                "a family takes one of severities, lengths, variants and cross; "
                    + "found \(expansions.joined(separator: " and "))")
        }
        let family = PlanFile.FamilyReader(
            name: name, unit: unit, lengthSeconds: length, rung: rung, chain: chain, mapping: family)
        switch expansions.first {
        case "severities": members = try family.severities()
        case "lengths": members = try family.lengths()
        case "variants": members = try family.variants()
        case "cross": members = try family.cross()
        default: members = [try family.single()]
        }
        try family.mapping.rejectUnknownKeys()
        if members.isEmpty { throw family.mapping.error("family \(name) has no member") }
    }
}
