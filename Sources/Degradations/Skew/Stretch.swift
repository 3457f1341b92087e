/// A change of pitch or tempo by the Rubber Band library, whose delay is measured and taken out of the truth.
///
/// Up to ±5 % onsets are within 1 ms of the truth however long the query, or 2 ms where pitch and tempo both change.
/// Frequencies are within 0.02 %.
package protocol Stretch: Degradation {}

extension Stretch {
    package static var version: Int { 3 }
    package static var group: ConditionGroup { .skew }
    package static var keepsSpeed: Bool { true }
    package static var parameters: [Parameter] {
        [Parameter("percent", .number(-50...100), milder: .either(to: 0, by: .difference(0.1)))]
    }
}
