import Degradations

/// A plan as declared in a YAML file: families of degradations with the severities to try.
///
/// `Corpora/Plans/README.md` describes the file key by key.
public struct PlanFile: Sendable {
    /// The file it was read from.
    public var path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    public var digest: String
    /// The plan's name.
    public var name: String
    /// The corpus whose tracks are enrolled and queried.
    public var corpus: String
    /// The half of the enrolled tracks that positives are cut from.
    public var half: CorpusHalf
    /// The seed of every random choice.
    public var seed: UInt64
    /// Positive trials in each cell.
    public var positives: Quota
    /// Negative trials in each cell.
    public var negatives: Quota
    /// The folds by which negatives are also cut from enrolled tracks; nil cuts none from them.
    public var negativeFolds: NegativeFolds?
    /// The copies that are enrolled in place of some tracks.
    public var speedCopies: SpeedCopies?
    /// At most so many trials are timed.
    public var latencyTrials: Int
    /// Frames of the source by which each drawn start is moved, the truth with it: the same queries at another phase.
    public var startShiftFrames = 0
    /// The families, in order.
    public var families: [Family]

    /// Several cells of one kind.
    public struct Family: Sendable {
        /// The degradation's name in reports.
        public var name: String
        /// The line of the file it begins on.
        public var line: Int
        /// Whether queries are digital silence instead of cuts.
        public var isSilence: Bool
        /// Positive trials in each cell, where the plan's number is not wanted.
        public var positives: Quota?
        /// Negative trials in each cell, where the plan's number is not wanted.
        public var negatives: Quota?
        /// One for each cell.
        public var members: [Member]
    }

    /// One cell to be.
    public struct Member: Sendable {
        /// The cell.
        public var cell: Cell
        /// The steps to draw a chain from.
        public var chain: [DegradationTemplate]
    }
}
