import AudioCore
import AudioIO
import Evaluation
import Matchers

/// Plays one query to a stream and records its answers.
struct StreamPlayer {
    let query: RenderedQuery
    let recording: AudioBuffer
    /// The offset added in each right reference, in seconds; nil if unknown.
    let deltas: [String: Double?]
    let blockFrames: Int

    private(set) var changes: [StreamedQuery.Change] = []
    private(set) var positions = StreamedQuery.PositionErrors()
    /// The current right answer, its time in the query and its shift by a repeat.
    private(set) var standing: (seconds: Double, answer: StreamedAnswer, shift: Double)?

    /// A position further off than this may be in a repeat, in seconds.
    private static let nearSeconds = 0.5
    /// The longest passage for comparing two places, in seconds.
    private static let longestComparisonSeconds = 5.0

    mutating func play(to startStream: MatcherPowers.StreamStart, after lead: AudioBuffer?) throws {
        let audio = query.audio
        let rate = Double(audio.sampleRate)
        var stream = try TrialError.asking {
            try startStream(audio.sampleRate, audio.channelCount)
        }
        var leadSeconds = 0.0
        changes = [.init(seconds: 0, answer: .none)]
        if let lead {
            let before = try Self.fitting(lead, to: audio)
            leadSeconds = before.durationSeconds
            // The answer to the other music is still current when the query begins.
            if let last = try TrialError.asking({ try stream.append(before) }).last {
                changes[0].answer = answer(last)
            }
        }
        for start in stride(from: 0, to: audio.frameCount, by: blockFrames) {
            let end = min(audio.frameCount, start + blockFrames)
            let now = Double(end) / rate
            for event in try TrialError.asking({ try stream.append(audio.frames(start..<end)) }) {
                try take(event, heardSeconds: event.elapsedSeconds - leadSeconds, at: now)
            }
            notePosition(at: now)
        }
    }

    private func answer(_ event: StreamedEvent) -> StreamedQuery.Answer {
        guard let best = event.answers.first else { return .none }
        return deltas[best.referenceID] != nil ? .right : .wrong(best.referenceID)
    }

    private mutating func take(_ event: StreamedEvent, heardSeconds: Double, at now: Double) throws {
        let answer = answer(event)
        if changes.last?.answer != answer { changes.append(.init(seconds: now, answer: answer)) }
        guard answer == .right, let best = event.answers.first, let delta = deltas[best.referenceID] ?? nil
        else {
            standing = nil
            return
        }
        let error = best.referenceSeconds - delta - query.clip.timeMap(heardSeconds)
        let shift = try shift(of: best, delta: delta, heardSeconds: heardSeconds, error: error)
        standing = (heardSeconds, best, shift)
    }

    /// The distance of an answer from the truth if it names a repeat; 0 otherwise.
    private func shift(
        of answer: StreamedAnswer, delta: Double, heardSeconds: Double, error: Double
    ) throws -> Double {
        guard abs(error) > Self.nearSeconds else { return 0 }
        let start = max(0, heardSeconds - Self.longestComparisonSeconds)
        let truth = query.clip.timeMap(start)
        let length = query.clip.timeMap(heardSeconds) - truth
        let answered = answer.referenceSeconds(after: start - heardSeconds) - delta
        guard
            let repetition = try RepeatSearch(
                recording: recording, trueSeconds: truth, answeredSeconds: answered, lengthSeconds: length),
            repetition.correlation >= JudgedTrial.repeatCorrelation
        else { return 0 }
        return answered - truth - repetition.offsetErrorSeconds
    }

    private mutating func notePosition(at now: Double) {
        guard let (seconds, answer, shift) = standing, let delta = deltas[answer.referenceID] ?? nil else {
            return
        }
        let error = answer.referenceSeconds(after: now - seconds) - delta - query.clip.timeMap(now)
        positions.strictSeconds.append(error)
        positions.repeatAwareSeconds.append(error - shift)
    }

    /// One-channel music, converted to the rate and the channel count of a query.
    private static func fitting(_ lead: AudioBuffer, to query: AudioBuffer) throws -> AudioBuffer {
        let mono = try Resampler.resample(lead, to: query.sampleRate).channel(0)
        return AudioBuffer(
            samples: (0..<query.channelCount).flatMap { _ in mono }, sampleRate: query.sampleRate,
            channelCount: query.channelCount)
    }
}
