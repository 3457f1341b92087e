/// A measurement that cannot be made as asked.
package struct MeasurementError: Error, CustomStringConvertible, Sendable {
    /// What is wrong, and what was expected.
    package let description: String

    /// Whether the folder holds another measurement.
    package let holdsOther: Bool

    package init(_ description: String, holdsOther: Bool = false) {
        self.description = description
        self.holdsOther = holdsOther
    }
}
