/// Changes nothing; the samples stay bit-identical.
public struct Identity: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "identity"
    /// What a plan may set.
    public static let parameters: [Parameter] = []

    /// Makes the identity.
    public init() {}

    /// Checks the clip.
    public func apply(to clip: inout Clip, material: any Material) throws { try prepare(clip) }
}
