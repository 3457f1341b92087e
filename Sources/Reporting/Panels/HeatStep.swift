import Evaluation
import Metrics

/// The seven steps of ink by which a recall is shaded: none for 100 %, full below 50 %.
///
/// The ink grows evenly darker, so it works in grey and with any colour vision. The number is always beside it.
enum HeatStep {
    private static let floors = [1.0, 0.97, 0.93, 0.85, 0.7, 0.5]

    /// The class of a rate; `absent` without trials.
    static func style(of proportion: Proportion) -> String {
        guard let rate = proportion.rate else { return "absent" }
        return "heat\(floors.firstIndex { rate >= $0 } ?? floors.count)"
    }
}
