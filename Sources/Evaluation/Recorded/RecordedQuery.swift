import AudioCore
import AudioIO
import Degradations

/// A query that somebody recorded: a file, or a part of one, and what its list says is in it.
public struct RecordedQuery: Hashable, Sendable {
    /// A reference that the query holds.
    public struct Right: Hashable, Sendable {
        /// The id of its track.
        public var id: String
        /// Reference time in seconds at the query's first sample; nil where the list does not say.
        public var offsetSeconds: Double?
    }

    /// The file, as the list names it.
    public var name: String
    /// Where the file is; nil when it was not found.
    public var path: String?
    /// SHA-256 of its bytes, in hexadecimal; nil when they cannot be read.
    public var sha256: String?
    /// Which seconds of the file are the query; nil takes all of it.
    public var part: ClosedRange<Double>?
    /// Every right answer, the one that the truth is about first; none for a negative.
    public var rights: [Right]
    /// What is known of where the query lies in the first right reference.
    public var truth: TrialRecord.Truth
    /// Why the query cannot be tried, where that is known beforehand.
    public var problem: String?

    /// Whether it should hold a reference that cannot be used.
    var isUnusable = false

    /// What the query is made of beside the file's bytes, for digests.
    var description: String {
        let part = part.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "whole"
        let skew = "\(String(describing: truth.frequencySkew)) \(String(describing: truth.timeSkew))"
        let tolerance = String(describing: truth.offsetToleranceSeconds)
        return "\(part); at \(String(describing: truth.offsetSeconds)) \(tolerance); skew \(skew)"
    }

    /// Decodes the query.
    ///
    /// - Throws: `AudioFileError` or ``CorpusError`` when there is no such audio.
    func read() throws -> RenderedQuery {
        if let problem { throw CorpusError(.unreadable, problem) }
        guard let path else { throw CorpusError(.unreadable, "\(name): there is no such file") }
        var audio = try AudioFile.read(path)
        if let part {
            let rate = Double(audio.sampleRate)
            let first = Int((part.lowerBound * rate).rounded())
            let end = min(Int((part.upperBound * rate).rounded()), audio.frameCount)
            guard first < end else {
                throw CorpusError(
                    .unreadable,
                    "\(name): is \(audio.durationSeconds) s long; the query begins at \(part.lowerBound) s")
            }
            audio = audio.frames(first..<end)
        }
        var clip = Clip(audio)
        if let offset = truth.offsetSeconds {
            clip.timeMap = TimeMap(offsetSeconds: offset, slope: 1 + (truth.timeSkew ?? 0))
        }
        return RenderedQuery(clip: clip, redraws: 0, stated: truth)
    }
}

extension TrialRecord {
    /// Adds what is right for a recorded query: each reference it holds, with all of its class.
    mutating func take(_ recorded: RecordedQuery, track: (String) throws -> Track) throws {
        for right in recorded.rights {
            let named = try track(right.id)
            if sourceClass.isEmpty { sourceClass = named.classID }
            for member in named.classMembers where !truthReferences.contains(member.id) {
                guard try track(member.id).isEnrolled else { continue }
                truthReferences.append(member.id)
                guard let base = recorded.truth.offsetSeconds, let offset = right.offsetSeconds,
                    let step = member.offsetSeconds
                else { continue }
                truthOffsetDeltas[member.id] = offset - base + step
            }
        }
    }
}
