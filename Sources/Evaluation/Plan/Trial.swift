import Degradations
import Foundation

/// One query that will be made, decided before any is run.
package struct Trial: Sendable, Hashable {
    /// A name unique in the plan: cell, then `p` or `n` and a number.
    package var id: String
    /// The position in the plan, from 0.
    package var index: Int
    package var cell: Cell
    package var isPositive: Bool
    /// The track to cut from; nil for digital silence.
    ///
    /// Of a recorded query a reference that it holds, if any.
    package var source: String?
    package var chain: DegradationChain
    package var startSeed: UInt64
    /// The frame of the source it begins at, where the start is not left to ``startSeed``.
    package var startFrame: Int?
    package var startShiftFrames = 0
    /// The fold whose classes are left out of the catalog it is put to; nil leaves out none.
    package var fold: Int?
    /// The file that is the query, where it is not cut from ``source``.
    package var recorded: RecordedQuery?

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

extension DegradationChain {
    /// The steps as one line of JSON with sorted keys.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(steps) else { return "[]" }
        return String(decoding: data, as: UTF8.self)
    }
}
