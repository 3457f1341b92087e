/// All that a catalog holds: the same whether it was made in memory or lies in a file.
struct CatalogContents: Sendable {
    let table: ReferenceTable
    let timeline: Timeline
    let peakStore: PeakStore
    let index: PairIndex
    /// The length of all recordings, in seconds.
    let totalSeconds: Double

    /// The file that the parts lie in; nil when they were made in memory.
    var file: MappedFile? { table.rows.owner }

    /// Throws the first reason why what was read of the file cannot be relied on.
    func throwIfDamaged() throws { try file?.throwIfDamaged() }
}
