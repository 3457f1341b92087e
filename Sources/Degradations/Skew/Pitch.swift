/// Plays higher or lower: changes frequency and leaves time alone.
///
/// `percent` −50…100; positive is higher. ``Stretch`` says how exact the result is.
package struct Pitch: Stretch {
    package static let name = "pitch"

    package var percent: Double

    package var sourceSecondsPerSecond: Double? { 1 }

    package init(percent: Double) { self.percent = percent }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        try clip.stretch(speed: 1, frequencyRatio: 1 + percent / 100)
    }
}
