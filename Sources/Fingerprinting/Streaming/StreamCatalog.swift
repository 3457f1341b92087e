/// What a stream is matched with.
protocol StreamCatalog: Sendable {
    var settings: Settings { get }
    /// The least score of an accepted match.
    var threshold: Double { get }

    func durationSeconds(at place: Int) -> Double
    func match(_ query: Query, unskewedOnly: Bool, candidates: Int) throws -> [Match]
    func matchAll(_ query: Query) throws -> [Match]
    func match(_ query: Query, expectedAt places: [Candidate]) throws -> [Match]
    func expectedPeaks(
        of reference: Int, on line: PassageLine, in query: Query, start: Int, _ frames: Range<Double>
    ) -> [PassageEvidence.ExpectedPeak]
}

extension Catalog: StreamCatalog {}
