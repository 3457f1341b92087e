/// How a number of a degradation gets milder: towards which value, and in which steps.
package enum Milder: Hashable, Sendable {
    /// Only upwards: a value above the mildest stays.
    case up(to: Double, by: Step)
    /// Only downwards: a value below the mildest stays.
    case down(to: Double, by: Step)
    case either(to: Double, by: Step)
    /// It tells the kind of a degradation, not its strength.
    case never

    package enum Step: Hashable, Sendable {
        case difference(Double)
        /// By a ratio above 1.
        case ratio(Double)
    }
}
