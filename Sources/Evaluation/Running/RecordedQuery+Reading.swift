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
        return RenderedQuery(clip, stated: truth)
    }
}
