/// Audio that gives any of its frames: in memory, or a file that is too long for that.
package protocol FrameSource {
    /// The sample rate in hertz.
    var sampleRate: Int { get }
    /// The number of frames.
    var frameCount: Int { get throws }

    /// The frames of `range`, which must be within the audio.
    func frames(_ range: Range<Int>) throws -> AudioBuffer
}

extension AudioBuffer: FrameSource {}
