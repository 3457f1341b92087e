/// A failure of the machine or of the judge while a matcher is asked, such as a full disk; it ends the run.
///
/// A matcher throws it for what is not its own fault. Its other errors count as failed trials.
public struct MachineError: Error, CustomStringConvertible, Sendable {
    /// What failed and why.
    public let description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}
