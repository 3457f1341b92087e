import Degradations
import Foundation

/// One query that will be made, decided before any is run.
public struct Trial: Sendable, Hashable {
    /// A name unique in the plan: cell, then `p` or `n` and a number.
    public var id: String
    /// The position in the plan, from 0.
    public var index: Int
    /// The cell it counts in.
    public var cell: Cell
    /// Whether an enrolled reference contains the query.
    public var isPositive: Bool
    /// The track to cut from; nil for digital silence.
    ///
    /// Of a recorded query a reference that it holds, if any.
    public var source: String?
    /// What is done to the cut.
    public var chain: DegradationChain
    /// The seed its start is drawn from.
    public var startSeed: UInt64
    /// The frame of the source it begins at, where the start is not left to ``startSeed``.
    public var startFrame: Int?
    /// Frames of the source by which the drawn start is moved, the truth with it.
    public var startShiftFrames = 0
    /// The fold whose classes are left out of the catalog it is put to; nil leaves out none.
    public var fold: Int?
    /// The file that is the query, where it is not cut from ``source``.
    public var recorded: RecordedQuery?

    /// Makes a trial.
    public init(
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

extension DegradationChain {
    /// The steps as one line of JSON with sorted keys.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(steps) else { return "[]" }
        return String(decoding: data, as: UTF8.self)
    }
}
