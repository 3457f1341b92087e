import Corpora
import Degradations

/// A plan as declared in a YAML file: families of degradations with the severities to try.
///
/// `Corpora/Plans/README.md` describes the file key by key.
package struct PlanFile: Sendable {
    package var path: String
    /// SHA-256 of the file's text and of every override, in hexadecimal.
    package var digest: String
    package var name: String
    package var corpus: String
    package var half: CorpusHalf
    package var seed: UInt64
    package var positives: Quota
    package var negatives: Quota
    /// The folds by which negatives are also cut from enrolled tracks; nil cuts none from them.
    package var negativeFolds: NegativeFolds?
    package var speedCopies: SpeedCopies?
    package var latencyTrials: Int
    /// Frames of the source by which each drawn start is moved, the truth with it: the same queries at another phase.
    package var startShiftFrames = 0
    /// The families, in order.
    package var families: [Family]

    package struct Family: Sendable {
        package var name: String
        package var line: Int
        package var isSilence: Bool
        /// Positive trials in each cell, where the plan's number is not wanted.
        package var positives: Quota?
        /// Negative trials in each cell, where the plan's number is not wanted.
        package var negatives: Quota?
        package var members: [Member]

        package init(
            name: String, line: Int = 1, isSilence: Bool = false, positives: Quota? = nil,
            negatives: Quota? = nil, members: [Member]
        ) {
            self.name = name
            self.line = line
            self.isSilence = isSilence
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

    package init(
        path: String, digest: String, name: String, corpus: String, half: CorpusHalf, seed: UInt64,
        positives: Quota = .trials(0), negatives: Quota = .trials(0), negativeFolds: NegativeFolds? = nil,
        speedCopies: SpeedCopies? = nil, latencyTrials: Int = 0, families: [Family] = []
    ) {
        self.path = path
        self.digest = digest
        self.name = name
        self.corpus = corpus
        self.half = half
        self.seed = seed
        self.positives = positives
        self.negatives = negatives
        self.negativeFolds = negativeFolds
        self.speedCopies = speedCopies
        self.latencyTrials = latencyTrials
        self.families = families
    }
}
