import Matchers

/// The result of rendering a query: the part of its record that does not depend on the matcher.
package struct QueryFacts: Codable, Hashable, Sendable {
    package var truth: Truth
    /// The start in the source, in seconds.
    package var sourceStartSeconds: Double
    /// The end in the source, in seconds.
    package var sourceEndSeconds: Double
    /// The number of starts rejected because the clip was too quiet.
    package var redraws: Int
    /// The signal-to-noise ratio over the full band, in decibels.
    package var snrDecibels: Double?
    /// The same within 0–4 kHz.
    package var snrDecibelsTo4kHz: Double?
    package var sampleRate: Int
    package var channelCount: Int
    package var frameCount: Int
    /// SHA-256 of the decoded samples, in hexadecimal.
    package var digest: String

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
    /// Adds the facts of the query.
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
