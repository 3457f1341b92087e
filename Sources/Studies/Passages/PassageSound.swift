import AudioCore
import Evaluation

/// What the recording and the reference sound like at a mistake.
package struct PassageSound: Codable, Hashable, Sendable {
    package var recording: TrialDetail.Sound
    /// From the beginning of the true or answered stretch; nil if the matcher named a place without sound.
    package var reference: TrialDetail.Sound?

    package init(recording: TrialDetail.Sound, reference: TrialDetail.Sound?) {
        self.recording = recording
        self.reference = reference
    }
}

extension PassageRecording {
    /// The most mistakes with sound.
    private static let mostSounds = 20
    /// The length of a sound, and the part of it before the passage, in seconds.
    private static let mostSeconds = 12.0
    private static let leadSeconds = 1.0

    /// The sounds of the longest mistakes, by the numbers of their rows.
    func sounds(of score: PassageScore) throws -> [Int: PassageSound] {
        var sounds: [Int: PassageSound] = [:]
        for number in score.mistakes.prefix(Self.mostSounds) {
            let row = score.rows[number]
            let begin = max(0, row.queryRange.lowerBound - Self.leadSeconds)
            let end = min(
                durationSeconds, begin + Self.mostSeconds, row.queryRange.upperBound + Self.leadSeconds)
            guard begin < end else { continue }
            let heard = try EncodedSound.sound(of: audio(in: begin...end))
            sounds[number] = PassageSound(recording: heard, reference: try reference(of: row))
        }
        return sounds
    }

    private func reference(of row: PassageScore.Row) throws -> TrialDetail.Sound? {
        guard let range = row.airing?.referenceRange ?? row.answer?.passage.referenceRange,
            let reference = references.first(where: { $0.id == row.referenceID })
        else { return nil }
        let audio = try audio(of: reference)
        func frame(_ seconds: Double) -> Int {
            min(audio.frameCount, max(0, Int(bounded: seconds * Double(sampleRate))))
        }
        let start = frame(range.lowerBound)
        let end = frame(min(range.upperBound, range.lowerBound + Self.mostSeconds))
        return start < end ? try EncodedSound.sound(of: audio.frames(start..<end)) : nil
    }
}
