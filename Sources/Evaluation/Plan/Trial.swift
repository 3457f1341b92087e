import Degradations

/// One query, decided before any trial is run.
public struct Trial: Sendable, Hashable {
    /// A name unique in the plan: cell, then `p` or `n` and a number.
    public var id: String
    /// The position in the plan, from 0.
    public var index: Int
    /// The cell it belongs to.
    public var cell: Cell
    /// Whether some enrolled reference contains the query.
    public var isPositive: Bool
    /// The track to cut from; nil for digital silence.
    ///
    /// Of a recorded query it is one of the right references, if any.
    public var source: String?
    package var chain: DegradationChain
    package var startSeed: UInt64
    /// The first frame in the source; nil leaves it to ``startSeed``.
    public var startFrame: Int?
    package var startShiftFrames = 0
    /// The fold whose classes the catalog leaves out; nil leaves out none.
    public var fold: Int?
    /// The file of the query, if it is not cut from ``source``.
    package var recorded: RecordedQuery?
    /// What was done to the query: ``chain``, or what the list says of a recorded one.
    package var knownChain: DegradationChain { recorded?.chain ?? chain }
    /// The track that the query is cut from; nil for silence and for a file of its own.
    package var cutSource: String? { recorded == nil ? source : nil }

    package init(
        id: String, index: Int, cell: Cell, isPositive: Bool, source: String?, chain: DegradationChain,
        startSeed: UInt64, fold: Int? = nil
    ) {
        self.id = id
        self.index = index
        self.cell = cell
        self.isPositive = isPositive
        self.source = source
        self.chain = chain
        self.startSeed = startSeed
        self.fold = fold
    }
}
