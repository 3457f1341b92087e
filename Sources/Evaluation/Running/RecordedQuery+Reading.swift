import AudioCore
import AudioIO
import Degradations

extension RecordedQuery {
    /// Faults of the file itself, which another try finds again.
    private static let faultsOfContent: Set<AudioFileError.Code> = [
        .empty, .notAudio, .damaged, .noSamples, .unsupportedSampleRate, .unsupportedChannelCount, .notFinite,
        .tooLong,
    ]

    /// Decodes the query.
    ///
    /// - Throws: ``TrialError`` if there is no such audio, or `AudioFileError` if it cannot be read now.
    package func read() throws -> RenderedQuery {
        if let problem { throw TrialError(.notMade, problem) }
        guard let path else { throw TrialError(.notMade, "\(name): there is no such file") }
        var audio: AudioBuffer
        do {
            audio = try AudioFile.read(path)
        } catch let error as AudioFileError where Self.faultsOfContent.contains(error.code) {
            throw TrialError(.notMade, "\(error)")
        }
        if let part {
            let rate = Double(audio.sampleRate)
            let first = Int((part.lowerBound * rate).rounded())
            let end = min(Int((part.upperBound * rate).rounded()), audio.frameCount)
            guard first < end else {
                throw TrialError(
                    .notMade,
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
