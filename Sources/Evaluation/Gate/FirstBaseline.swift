import Degradations
import SystemIO

/// What a run must find to become a first baseline, which later runs need only equal.
package struct FirstBaseline: Sendable {
    /// The trials that count: clean queries of the greatest length, or all positives of a run without clean ones.
    package let positives: Int
    package let found: Int
    /// The length of the clean queries; nil without clean ones.
    package let cleanSeconds: Double?

    package init(_ run: ScoredRun) {
        // No list says which recorded query is clean.
        let clean = run.identity.request.recorded == nil ? run.cells.filter { $0.group == .length } : []
        cleanSeconds = clean.map(\.key.lengthSeconds).max()
        let counted = cleanSeconds.map { longest in clean.filter { $0.key.lengthSeconds == longest } }
        let trials = (counted ?? run.cells).flatMap(\.trials).filter {
            $0.isPositive && $0.result.outcome != nil
        }
        positives = trials.count
        found = trials.count { $0.result.outcome == .correct }
    }

    /// Why the run is no first baseline; nil if it is one.
    ///
    /// Most clean queries must be found. Recorded queries may be hard, so one of them is enough.
    package var refusal: String? {
        guard positives > 0, 2 * found < positives, cleanSeconds != nil || found == 0 else { return nil }
        let queries = cleanSeconds.map { "clean queries of \(formatNumber($0)) s" } ?? "queries"
        return
            "the matcher finds \(found) of \(positives) \(queries), which is no first baseline. Check its program with "
            + "`earshot arena check`"
    }
}
