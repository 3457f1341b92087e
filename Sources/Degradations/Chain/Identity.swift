/// Changes nothing; the samples stay bit-identical.
package struct Identity: Degradation {
    package static let name = "identity"
    package static let group = ConditionGroup.other
    package static let parameters: [Parameter] = []

    package init() {}

    package func apply(to clip: inout Clip, material: any Material) throws { try prepare(clip) }
}
