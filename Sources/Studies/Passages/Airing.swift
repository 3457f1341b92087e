import AudioCore
import Corpora
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

extension Airing {
    /// The airings of a table of truth; what it does not state is 0, and a kind that it does not name is a song.
    package static func list(_ table: PassageList) -> [Airing] {
        let permitted = table.rows.filter { !$0.isRequired }
        return table.rows.filter(\.isRequired).map { row in
            let length = row.seconds.upperBound - row.seconds.lowerBound
            var airing = Airing(
                referenceID: row.reference, kind: row.kind.flatMap(PassageKind.init) ?? .song,
                queryRange: row.seconds, referenceRange: 0...length, frequencySkew: 0, timeSkew: 0,
                fadeInSeconds: 0, fadeOutSeconds: 0)
            airing.shared = permitted.first { $0.seconds.overlaps(row.seconds) }.map {
                Shared(referenceID: $0.reference, queryRange: $0.seconds)
            }
            return airing
        }
    }
}
