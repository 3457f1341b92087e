/// A measurement that cannot be made as asked.
package struct MeasurementError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what was expected.
    package let description: String

    /// Says what is wrong.
    package init(_ description: String) { self.description = description }
}
