import AudioCore
import Matchers
import Metrics

/// A reference that a recording contains from one time to another: the truth about one passage.
package struct Airing: Codable, Hashable, Sendable {
    package var referenceID: String
    package var kind: PassageKind
    /// The stretch of the recording, in seconds; in a crossfade it begins or ends where both are equally loud.
    package var queryRange: ClosedRange<Double>
    /// The stretch of the reference, in seconds.
    package var referenceRange: ClosedRange<Double>
    /// f_query / f_reference − 1.
    package var frequencySkew: Double
    /// Reference seconds per query second − 1.
    package var timeSkew: Double
    /// The widths of the crossfades at both ends, in seconds.
    package var fadeInSeconds: Double
    package var fadeOutSeconds: Double
    /// The stretch of the recording with a voice over it, in seconds.
    package var voiceOver: ClosedRange<Double>?
    /// The stretch that its twin also contains, in seconds of the recording.
    package var shared: Shared?

    package struct Shared: Codable, Hashable, Sendable {
        package var referenceID: String
        package var queryRange: ClosedRange<Double>
    }

    package var lengthSeconds: Double { queryRange.upperBound - queryRange.lowerBound }

    package var passage: Passage {
        Passage(
            referenceID: referenceID, queryRange: queryRange, referenceRange: referenceRange,
            frequencySkew: frequencySkew, timeSkew: timeSkew, score: 1, confidence: 1)
    }

    package var span: LabelledSpan {
        LabelledSpan(
            label: referenceID, begin: queryRange.lowerBound, end: queryRange.upperBound)
    }
}

extension Airing.Shared {
    package var span: LabelledSpan {
        LabelledSpan(label: referenceID, begin: queryRange.lowerBound, end: queryRange.upperBound)
    }
}
