/// No change at all: the samples stay bit for bit.
public struct Identity: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "identity"
    /// What a plan may set.
    public static let parameters: [Parameter] = []

    /// Makes the degradation that does nothing.
    public init() {}

    /// Checks the clip and leaves it.
    public func apply(to clip: inout Clip, material: any Material) throws { try prepare(clip) }
}
