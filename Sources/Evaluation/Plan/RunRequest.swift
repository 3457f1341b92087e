import Corpora
import Foundation

/// What to measure: queries, recordings and matcher.
///
/// A run stores it, so that the same plan can be opened again. Nil keeps what the plan's file says.
public struct RunRequest: Codable, Hashable, Sendable {
    /// A plan's name in the folder of plans, or the path of a YAML file.
    public var plan: String
    /// Queries that somebody recorded, in place of the plan's.
    public var recorded: Recorded?
    /// The name of a corpus.
    public var corpus: String?
    /// A folder of recordings, in place of a corpus.
    public var folder: String?
    /// Whether all references of a folder are enrolled and queried, without halves.
    public var isUndivided: Bool?
    /// The half of the recordings that queries are cut from.
    public var half: CorpusHalf?
    /// The seed of every random choice.
    public var seed: UInt64?
    /// Positive trials in each cell.
    public var positives: Int?
    /// Negative trials in each cell.
    public var negatives: Int?
    /// Folds by which negatives are also cut from enrolled tracks.
    public var negativeFolds: Int?
    /// Source frames by which each query's start is moved.
    public var startShift: Int?
    /// Queries along each axis of a frontier plan.
    public var queries: Int?
    /// The axes of a frontier plan to search; empty searches all.
    public var axes: [String]
    /// A program whose degradations become conditions of the plan.
    public var degradations: DegradationRequest?
    /// A chain of degradations that becomes a condition of the plan, as a YAML list.
    public var chain: String?
    /// The folder of recipes and plans; nil finds it.
    public var recipeFolder: String?
    /// The matcher and its settings.
    public var matcher: MatcherRequest

    /// A list of recorded queries and where their files are.
    public struct Recorded: Codable, Hashable, Sendable {
        /// The path of the list.
        public var list: String
        /// The folder of the references.
        public var references: String
        /// A file that names the references to enrol; nil enrols all.
        public var referenceList: String?
        /// The folder of the queries; nil is the list's.
        public var queryFolder: String?

        /// Names a list.
        public init(
            list: String, references: String, referenceList: String? = nil, queryFolder: String? = nil
        ) {
            self.list = list
            self.references = references
            self.referenceList = referenceList
            self.queryFolder = queryFolder
        }

        package func open(in library: CorpusLibrary) throws -> RecordedQueries {
            try RecordedQueries(
                list: list, references: references, referenceList: referenceList, queryFolder: queryFolder,
                library: library)
        }
    }

    /// Asks for `plan`; nil keeps what the plan's file says.
    public init(
        plan: String = "standard", recorded: Recorded? = nil, corpus: String? = nil, folder: String? = nil,
        isUndivided: Bool? = nil, half: CorpusHalf? = nil, seed: UInt64? = nil, positives: Int? = nil,
        negatives: Int? = nil, negativeFolds: Int? = nil, startShift: Int? = nil, queries: Int? = nil,
        axes: [String] = [], degradations: DegradationRequest? = nil, chain: String? = nil,
        recipeFolder: String? = nil, matcher: MatcherRequest = MatcherRequest()
    ) {
        self.plan = plan
        self.recorded = recorded
        self.corpus = corpus
        self.folder = folder
        self.isUndivided = isUndivided
        self.half = half
        self.seed = seed
        self.positives = positives
        self.negatives = negatives
        self.negativeFolds = negativeFolds
        self.startShift = startShift
        self.queries = queries
        self.axes = axes
        self.degradations = degradations
        self.chain = chain
        self.recipeFolder = recipeFolder
        self.matcher = matcher
    }

    /// The corpus or folder that replaces the plan's, as ``Corpus/open(named:in:)`` takes it.
    public var corpusName: String? { folder.map { $0.contains("/") ? $0 : "./\($0)" } ?? corpus }
}

/// A plan with everything it is run on.
public struct OpenedPlan: Sendable {
    /// Every trial.
    public let plan: Plan
    /// The recordings to mix in.
    public let material: CorpusMaterial
    package let library: CorpusLibrary
}

/// A corpus with the recordings to mix in.
package struct OpenedCorpus: Sendable {
    package let corpus: Corpus
    package let material: CorpusMaterial
    package let library: CorpusLibrary
}

extension RunRequest {
    /// Reads the plan's file, opens the corpus and expands the plan.
    public func open(in library: CorpusLibrary) throws -> OpenedPlan {
        if let recorded {
            let plan = try Plan(
                recorded.open(in: library), half: half,
                negativeFolds: negativeFolds.map { NegativeFolds(count: $0) }, seed: seed ?? 1)
            return OpenedPlan(
                plan: plan, material: try CorpusMaterial(library: library, music: nil), library: library)
        }
        var file = try PlanFile(path: library.planPath(plan))
        try file.add(degradations, chain: chain)
        let opened = try openCorpus(in: library, of: file.head)
        try file.override(
            corpus: opened.corpus.name, positives: positives, negatives: negatives,
            negativeFolds: negativeFolds.map { NegativeFolds(count: $0) })
        file.startShiftFrames = startShift ?? 0
        let plan = try Plan(
            file: file, corpus: opened.corpus, material: opened.material, half: half, seed: seed)
        return OpenedPlan(plan: plan, material: opened.material, library: library)
    }

    /// Opens the corpus or folder of the request, else that of the plan, with the noise of its half.
    ///
    /// - Throws: ``ConfigurationError`` if neither names one.
    package func openCorpus(in library: CorpusLibrary, of plan: PlanHead) throws -> OpenedCorpus {
        guard let standard = corpusName ?? plan.corpus else {
            throw ConfigurationError(
                file: plan.path, line: 1,
                message: "`corpus` is missing. Add it, or name the recordings with --corpus or --folder")
        }
        return try openCorpus(in: library, standard: standard, half: plan.half)
    }

    /// Opens the corpus or folder of the request, with the noise of its half.
    ///
    /// Whatever cuts queries opens its corpus here.
    ///
    /// - Parameters:
    ///   - standard: The corpus if the request names none.
    ///   - standardHalf: The half if the request names none.
    /// - Throws: ``CorpusError`` with code `sealed` for an exam, unless the library opens exams.
    package func openCorpus(
        in library: CorpusLibrary, standard: String, half standardHalf: CorpusHalf = .test
    ) throws -> OpenedCorpus {
        var recipe = try library.recipe(named: corpusName ?? standard)
        guard !recipe.isExam || library.opensExams else {
            throw CorpusError(
                .sealed, "the corpus \(recipe.name) is sealed for the exam", corpus: recipe.name)
        }
        if isUndivided == true, case .folder(var folder) = recipe.source {
            folder.isUndivided = true
            recipe.source = .folder(folder)
        }
        var library = library
        if library.degradations == nil, let degradations {
            library.degradations = UnnamedDegradations(command: degradations.command)
        }
        let corpus = try Corpus(recipe: recipe, library: library)
        let material = try CorpusMaterial(library: library, music: corpus, half: half ?? standardHalf)
        return OpenedCorpus(corpus: corpus, material: material, library: library)
    }
}
