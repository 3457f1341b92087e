import AudioCore
import AudioIO
import Corpora
import Degradations

extension RecordedQuery {
    /// Decodes the query.
    ///
    /// - Throws: `AudioFileError` or ``CorpusError`` if the audio does not exist.
    package func read() throws -> RenderedQuery {
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
    /// Adds the right answers to a recorded query: each reference in it, with the whole class.
    package mutating func take(_ recorded: RecordedQuery, track: (String) throws -> Track) throws {
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
