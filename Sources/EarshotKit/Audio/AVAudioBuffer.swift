/// A buffer of audio in some format; ``AVAudioPCMBuffer`` is the one kind.
open class AVAudioBuffer: NSObject {
    /// How the audio is stored.
    public let format: AVAudioFormat

    init(format: AVAudioFormat) {
        self.format = format
    }
}
