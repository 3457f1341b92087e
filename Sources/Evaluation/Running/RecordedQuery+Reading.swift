import AudioCore
import AudioIO
import Degradations

extension RecordedQuery {
    /// Decodes the query.
    ///
    /// - Throws: ``TrialError`` if there is no such audio, or `AudioFileError` if it cannot be read now.
    package func read() throws -> RenderedQuery {
        if let problem { throw TrialError(.notMade, problem) }
        guard let path else { throw TrialError(.notMade, "\(name): there is no such file") }
        let audio: AudioBuffer
        do {
            audio = try part.map { try AudioFile.read(path, seconds: $0) } ?? AudioFile.read(path)
        } catch let error as AudioFileError where error.isFaultOfContent {
            throw TrialError(.notMade, "\(error)")
        }
        var clip = Clip(audio)
        if let offset = truth.offsetSeconds {
            clip.timeMap = TimeMap(offsetSeconds: offset, slope: 1 + (truth.timeSkew ?? 0))
        }
        return RenderedQuery(clip, stated: truth)
    }
}
