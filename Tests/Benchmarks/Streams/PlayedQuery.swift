import AudioCore
import AudioIO
import Evaluation
import Fingerprinting
import Metrics

/// What a stream made of one query.
struct PlayedQuery: CustomStringConvertible {
    let source: String
    /// When the right reference was named first, in seconds.
    private(set) var firstRightSeconds: Double?
    /// When another one was.
    private(set) var firstWrongSeconds: Double?
    /// Predicted less true position at ends of blocks, in seconds, once the right reference was named.
    private(set) var positionErrorsSeconds: [Double] = []

    /// Plays a query, after some seconds of another recording where there is one.
    init(
        _ query: RenderedQuery, of source: String, after lead: AudioBuffer?, seconds: Double,
        _ catalog: StreamCatalog, block: Int
    ) throws {
        self.source = source
        let audio = query.audio
        var stream = try StreamMatcher(
            catalog: catalog.catalog, sampleRate: audio.sampleRate, channelCount: audio.channelCount)
        var leadSeconds = 0.0
        if let lead {
            let frames = Int(seconds * Double(lead.sampleRate))
            let middle = lead.frames((lead.frameCount - frames) / 2..<(lead.frameCount + frames) / 2)
            let fitting = try Resampler.resample(middle, to: audio.sampleRate)
            let mono = fitting.channel(0)
            let planes = (0..<audio.channelCount).flatMap { _ in mono }
            _ = try stream.append(
                AudioBuffer(samples: planes, sampleRate: audio.sampleRate, channelCount: audio.channelCount))
            leadSeconds = stream.heardSeconds
        }
        var known: (event: StreamEvent, delta: Double)?
        for start in stride(from: 0, to: audio.frameCount, by: block) {
            let end = min(audio.frameCount, start + block)
            let now = Double(end) / Double(audio.sampleRate)
            for event in try stream.append(audio.frames(start..<end)) {
                guard let best = event.matches.first else {
                    known = nil
                    continue
                }
                guard let delta = catalog.delta(of: best.referenceID, heard: source) else {
                    if firstWrongSeconds == nil { firstWrongSeconds = now }
                    known = nil
                    continue
                }
                if firstRightSeconds == nil { firstRightSeconds = now }
                known = (event, delta)
            }
            guard let (event, delta) = known, let best = event.matches.first, delta.isFinite else { continue }
            let predicted =
                best.offsetSeconds + (leadSeconds + now - event.startSeconds) * (1 + best.timeSkew)
            positionErrorsSeconds.append(abs(predicted - delta - query.clip.timeMap(now)))
        }
    }

    var description: String {
        "\(source) right \(firstRightSeconds.map { "\($0)" } ?? "never")"
            + " wrong \(firstWrongSeconds.map { "\($0)" } ?? "never")"
            + " position \(Percentile.of(positionErrorsSeconds, at: 0.5).map { "\($0 * 1000) ms" } ?? "unknown")"
    }

    static func summary(of played: [PlayedQuery]) -> String {
        let times = played.map { $0.firstRightSeconds ?? .infinity }
        let wrong = played.count { ($0.firstWrongSeconds ?? .infinity) < ($0.firstRightSeconds ?? .infinity) }
        let errors = played.flatMap(\.positionErrorsSeconds)
        func percentile(_ values: [Double], _ share: Double) -> String {
            Percentile.of(values, at: share).map { "\(($0 * 1000).rounded() / 1000)" } ?? "none"
        }
        return "\(played.count) queries, never right \(times.count { $0.isInfinite }), wrong first \(wrong); "
            + "seconds to the first right answer: median \(percentile(times, 0.5)), p90 \(percentile(times, 0.9)); "
            + "position error in s: median \(percentile(errors, 0.5)), p95 \(percentile(errors, 0.95)),"
            + " worst \(percentile(errors, 1))"
    }
}
