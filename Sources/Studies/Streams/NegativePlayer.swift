import AudioCore
import AudioIO
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics

/// Plays recordings one after the other as one stream through one chain.
struct NegativePlayer {
    private static let sampleRate = 44_100
    /// The longest piece that is rendered at once, in seconds.
    private static let longestPieceSeconds = 3000.0

    private let study: NegativeStudy
    private let templates: [DegradationTemplate]
    private var stream: any MatcherStream
    private var result: NegativeStream
    private var trackCount = 0

    init(
        _ study: NegativeStudy, chain: String, templates: [DegradationTemplate],
        to startStream: MatcherPowers.StreamStart
    ) throws {
        self.study = study
        self.templates = templates
        stream = try startStream(Self.sampleRate, 1)
        result = NegativeStream(chain: chain)
    }

    /// Plays a recording without 0.5 s at both ends.
    ///
    /// If it cannot be degraded, the result records the failure.
    mutating func play(_ track: Track) throws {
        var generator = SeededGenerator(seed: study.seed, track.id, result.chain)
        let steps = try templates.map { try $0.draw(using: &generator) }
        let chain = DegradationChain(steps: steps)
        try chain.validate()
        let audio = try study.corpus.audio(of: track)
        do {
            let length = audio.durationSeconds - 1
            let pieces = (length / Self.longestPieceSeconds).rounded(.up)
            let span = length / pieces
            // A faster chain has less audio to play, and a chain that changes time needs a margin around the clip.
            let usable = min(span, span * span / chain.sourceSeconds(forSeconds: span))
            for piece in 0..<Int(pieces) {
                let clip = try TrialError.making {
                    try chain.render(
                        source: audio, startSeconds: 0.5 + Double(piece) * span + 0.5 * (span - usable),
                        lengthSeconds: usable, material: study.material)
                }
                try play(clip, of: track)
            }
        } catch let error as TrialError {
            result.failures.append(.init(trackID: track.id, message: error.description))
            study.note("\(result.chain) \(track.id) cannot be played: \(error)")
        }
        trackCount += 1
        if trackCount.isMultiple(of: 20) { study.note(summary) }
    }

    /// The result; call this after the last recording.
    mutating func finished() -> NegativeStream {
        result.residentBytesAtEnd = ProcessMemory.residentBytes
        study.note("\(summary); finished")
        return result
    }

    private mutating func play(_ clip: Clip, of track: Track) throws {
        let mono = try Resampler.resample(
            AudioBuffer(samples: clip.audio.mono(), sampleRate: clip.audio.sampleRate), to: Self.sampleRate)
        let seconds = clip.audio.durationSeconds
        result.passages.append(
            .init(trackID: track.id, span: Interval(lower: clip.timeMap(0), upper: clip.timeMap(seconds))))
        let before = result.playedSeconds
        for start in stride(from: 0, to: mono.frameCount, by: study.blockFrames) {
            let end = min(mono.frameCount, start + study.blockFrames)
            let block = mono.frames(start..<end)
            let began = ThreadClock.seconds
            let events: [StreamedEvent]
            do { events = try stream.append(block) } catch {
                throw StreamFailure(error: error, track: track.id)
            }
            result.processorSeconds += ThreadClock.seconds - began
            result.playedSeconds = before + Double(end) / Double(Self.sampleRate)
            for event in events where event.kind == .named { take(event, of: track) }
            if result.residentBytesAfterTenMinutes == nil, result.playedSeconds >= 600 {
                result.residentBytesAfterTenMinutes = ProcessMemory.residentBytes
            }
        }
    }

    private mutating func take(_ event: StreamedEvent, of track: Track) {
        guard let best = event.answers.first else { return }
        let match = NegativeStream.FalseMatch(
            trackID: track.id, referenceID: best.referenceID, score: best.score,
            elapsedSeconds: event.elapsedSeconds,
            heardSeconds: event.elapsedSeconds - event.sinceSeconds)
        result.falseMatches.append(match)
        study.note(
            "\(result.chain) \(track.id) named \(match.referenceID), score \(match.score), of "
                + "\(match.heardSeconds) s at \(match.elapsedSeconds) s")
    }

    private var summary: String {
        func fixed(_ value: Double) -> String { String(format: "%.2f", value) }
        return
            "\(result.chain): \(fixed(result.playedSeconds / 3600)) h, \(result.falseMatches.count) false, "
            + "\(fixed(result.processorSecondsPerHour ?? 0)) CPU s an hour, "
            + "\(ProcessMemory.residentBytes / 1_000_000) MB"
    }
}

/// A stream that failed; results after it would be meaningless.
struct StreamFailure: Error, CustomStringConvertible {
    let error: any Error
    let track: String
    var description: String { "the stream failed at \(track): \(error)" }
}
