/// Plays faster or slower: changes time and leaves frequency alone.
///
/// `percent` −50…100; positive is faster. ``Stretch`` says how exact the result is.
package struct Tempo: Stretch {
    package static let name = "tempo"

    package var percent: Double

    package var sourceSecondsPerSecond: Double? { 1 + percent / 100 }

    package init(percent: Double) { self.percent = percent }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        try clip.stretch(speed: 1 + percent / 100, frequencyRatio: 1)
    }
}
