import Matchers

/// What rendering a query found out: all of its record that does not depend on who is asked.
package struct QueryFacts: Codable, Hashable, Sendable {
    /// Where the query lies in its source.
    package var truth: Truth
    /// Where in the source it begins, in seconds.
    package var sourceStartSeconds: Double
    /// Where in the source it ends, in seconds.
    package var sourceEndSeconds: Double
    /// How many starts were thrown away because the clip was too quiet.
    package var redraws: Int
    /// The signal-to-noise ratio over the full band, in decibels.
    package var snrDecibels: Double?
    /// The same within 0–4 kHz.
    package var snrDecibelsTo4kHz: Double?
    /// The rate of the query, in hertz.
    package var sampleRate: Int
    /// The number of channels of the query.
    package var channelCount: Int
    /// The number of frames of the query.
    package var frameCount: Int
    /// SHA-256 of the decoded samples, in hexadecimal.
    package var digest: String

    /// Takes the facts of a query.
    package init(_ query: RenderedQuery) {
        truth = query.truth
        sourceStartSeconds = query.clip.timeMap(0)
        sourceEndSeconds = query.clip.timeMap(query.audio.durationSeconds)
        redraws = query.redraws
        snrDecibels = query.clip.measurements["snrDecibels"]
        snrDecibelsTo4kHz = query.clip.measurements["snrDecibelsTo4kHz"]
        sampleRate = query.audio.sampleRate
        channelCount = query.audio.channelCount
        frameCount = query.audio.frameCount
        digest = query.digest
    }
}

extension TrialRecord {
    /// Adds what is known of the query.
    package mutating func describe(_ query: QueryFacts) {
        truth = isPositive ? query.truth : nil
        if query.truth.offsetSeconds != nil {
            sourceStartSeconds = query.sourceStartSeconds
            sourceEndSeconds = query.sourceEndSeconds
        }
        redraws = query.redraws
        snrDecibels = query.snrDecibels
        snrDecibelsTo4kHz = query.snrDecibelsTo4kHz
        querySampleRate = query.sampleRate
        queryChannels = query.channelCount
        queryFrames = query.frameCount
        queryDigest = query.digest
    }
}
