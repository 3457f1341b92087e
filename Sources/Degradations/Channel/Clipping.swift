import AudioCore

/// Amplifies the clip and clips it at its own peak.
///
/// Each sample x becomes x·g limited to ±p. The limit p is the clip's greatest magnitude, and the gain g is
/// `overdriveDecibels`, 0…60 dB. Stores the share of clipped samples as `clippedFraction`.
package struct Clipping: Degradation {
    package static let name = "clipping"
    package static let parameters = [
        Parameter("overdriveDecibels", .number(0...60), milder: .down(to: 0, by: .difference(0.5)))
    ]

    package var overdriveDecibels: Double

    package init(overdriveDecibels: Double) { self.overdriveDecibels = overdriveDecibels }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let limit = clip.audio.peak
        let gain = Float(Decibels.amplitudeRatio(overdriveDecibels))
        var clipped = 0
        clip.audio.changeChannels { plane in
            for frame in plane.indices {
                let driven = plane[frame] * gain
                if abs(driven) > limit { clipped += 1 }
                plane[frame] = min(max(driven, -limit), limit)
            }
        }
        clip.measurements["clippedFraction"] = Double(clipped) / Double(clip.audio.samples.count)
    }
}
