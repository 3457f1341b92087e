/// A search that cannot be made as asked, and why.
public struct TuningError: Error, CustomStringConvertible, Sendable {
    /// What is wrong and what was expected.
    public let description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}
