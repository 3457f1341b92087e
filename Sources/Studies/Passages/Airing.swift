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

    package init(
        referenceID: String, kind: PassageKind, queryRange: ClosedRange<Double>,
        referenceRange: ClosedRange<Double>, frequencySkew: Double = 0, timeSkew: Double = 0,
        fadeInSeconds: Double = 0, fadeOutSeconds: Double = 0, voiceOver: ClosedRange<Double>? = nil,
        shared: Shared? = nil
    ) {
        self.referenceID = referenceID
        self.kind = kind
        self.queryRange = queryRange
        self.referenceRange = referenceRange
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
        self.fadeInSeconds = fadeInSeconds
        self.fadeOutSeconds = fadeOutSeconds
        self.voiceOver = voiceOver
        self.shared = shared
    }

    package struct Shared: Codable, Hashable, Sendable {
        package var referenceID: String
        package var queryRange: ClosedRange<Double>

        package init(referenceID: String, queryRange: ClosedRange<Double>) {
            self.referenceID = referenceID
            self.queryRange = queryRange
        }
    }

    package var lengthSeconds: Double { queryRange.upperBound - queryRange.lowerBound }

    package var passage: Passage {
        Passage(
            referenceID: referenceID, queryRange: queryRange, referenceRange: referenceRange,
            frequencySkew: frequencySkew, timeSkew: timeSkew, score: 1, confidence: 1)
    }

    package var span: LabelledSpan { LabelledSpan(referenceID, queryRange) }
}

extension Airing.Shared {
    package var span: LabelledSpan { LabelledSpan(referenceID, queryRange) }
}

extension LabelledSpan {
    init(_ label: String, _ range: ClosedRange<Double>) {
        self.init(label: label, begin: range.lowerBound, end: range.upperBound)
    }
}
