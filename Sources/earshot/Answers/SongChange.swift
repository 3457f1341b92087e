import Foundation
import SystemIO

/// A change of what a stream plays.
struct SongChange: Encodable {
    enum Kind: String, Encodable { case begins, ends, nothing }

    let change: Kind
    /// The time of day of the change.
    let time: String
    /// The same as seconds of the stream.
    let seconds: Double
    /// The song that begins or ends.
    let answer: AnswerLine.Answer?

    /// The line for people.
    var text: String {
        let title = VisibleText.field(answer?.title ?? "")
        return switch change {
        case .begins: "\(time)  begins  \(title)"
        case .ends: "\(time)  ends    \(title)"
        case .nothing: "\(time)  nothing plays"
        }
    }
}

/// Follows the song that a stream plays: of several at once, one until it is over.
struct SongChanges {
    private enum Playing {
        case unknown, nothing
        case song(AnswerLine.Answer)
    }

    private let clock: WallClock
    private var playing = Playing.unknown
    /// The length of the stream at the latest line.
    private var latestSeconds = 0.0

    init(_ clock: WallClock) { self.clock = clock }

    /// What a line of a stream changes.
    mutating func changes(by line: AnswerLine, heardSeconds now: Double) -> [SongChange] {
        defer { latestSeconds = now }
        if case .song(let song) = playing,
            line.answers.contains(where: { $0.match.referenceID == song.match.referenceID })
        {
            return []
        }
        // An outcome without a match has the audio since the end of the song.
        guard let song = line.answers.first else {
            return changes(to: .nothing, at: now - (line.durationSeconds ?? 0))
        }
        return changes(to: .song(song), at: song.beginSeconds(notBefore: latestSeconds, heardSeconds: now))
    }

    /// What the end of the stream changes.
    mutating func end(atSeconds seconds: Double) -> [SongChange] { changes(to: .unknown, at: seconds) }

    private mutating func changes(to next: Playing, at seconds: Double) -> [SongChange] {
        let seconds = max(0, (seconds * 1000).rounded() / 1000)
        func change(_ kind: SongChange.Kind, _ answer: AnswerLine.Answer? = nil) -> SongChange {
            SongChange(change: kind, time: clock.time(at: seconds), seconds: seconds, answer: answer)
        }
        var changes: [SongChange] = []
        if case .song(let song) = playing { changes.append(change(.ends, song)) }
        switch (next, playing) {
        case (.song(let song), _): changes.append(change(.begins, song))
        case (.nothing, .unknown), (.nothing, .song): changes.append(change(.nothing))
        default: break
        }
        playing = next
        return changes
    }
}

extension AnswerLine.Answer {
    /// The second of the stream at which the reference begins, or the query where that is too early.
    fileprivate func beginSeconds(notBefore earliest: Double, heardSeconds now: Double) -> Double {
        let position = items.first?.predictedCurrentMatchOffset ?? match.offsetSeconds
        let begin = now - position / (1 + match.timeSkew)
        return begin >= earliest ? begin : begin + max(0, match.offsetSeconds) / (1 + match.timeSkew)
    }
}
