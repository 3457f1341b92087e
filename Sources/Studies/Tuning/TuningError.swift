/// A search that cannot be made as asked, and why.
package struct TuningError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what was expected.
    package let description: String

    /// Makes an error.
    package init(_ description: String) { self.description = description }
}
