import AudioCore
import AudioIO

extension AudioBuffer {
    /// Writes a WAV file of 32-bit floats.
    func write(to path: String) throws {
        guard let encoding = AudioEncoding("wav-float") else {
            throw AudioFileError(.notAudio, path: path, "there is no encoding wav-float")
        }
        try AudioFile.write(self, to: path, as: encoding)
    }
}
