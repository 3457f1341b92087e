import Foundation
import Matchers

/// A trial repeated for inspection and listening.
package struct TrialDetail: Codable, Hashable, Sendable {
    package var trialID: String
    /// The query; nil when it could not be made.
    package var query: Sound?
    /// The passage of the right reference; nil for a negative.
    package var expected: Passage?
    /// The passage of the best candidate; nil if it is the expected one.
    package var chosen: Passage?
    /// The matcher's explanation; nil when it gives none.
    package var explanation: MatchExplanation?
    /// One sentence for each thing that is missing or differs from the stored record, and why.
    package var remarks: [String]

    package init(trialID: String) {
        self.trialID = trialID
        remarks = []
    }

    package struct Sound: Codable, Hashable, Sendable {
        /// An Ogg file with Opus in it.
        package var data: Data
        package var seconds: Double
        /// The length of the whole, in seconds, if only the beginning was encoded.
        package var wholeSeconds: Double

        package init(data: Data, seconds: Double, wholeSeconds: Double) {
            self.data = data
            self.seconds = seconds
            self.wholeSeconds = wholeSeconds
        }
    }

    package struct Passage: Codable, Hashable, Sendable {
        package var place: ReferencePlace
        package var startSeconds: Double
        /// The passage; nil when the reference has nothing there or could not be read.
        package var sound: Sound?
        /// The index in the explanation's alignments; nil when it has none.
        package var alignment: Int?

        package init(place: ReferencePlace) {
            self.place = place
            startSeconds = place.offsetSeconds
        }
    }
}
