/// A measurement that cannot be made as asked.
public struct MeasurementError: Error, CustomStringConvertible, Sendable {
    /// What is wrong, and what was expected.
    public let description: String

    /// Whether the folder holds another measurement.
    public let holdsOther: Bool

    package init(_ description: String, holdsOther: Bool = false) {
        self.description = description
        self.holdsOther = holdsOther
    }
}
