import AudioIO

extension Microphone {
    /// Opens a source as `AVAudioFormat.microphone` says, under the program's name.
    convenience init(device: String? = nil, server: String?) throws(MicrophoneError) {
        let format = AVAudioFormat.microphone
        try self.init(
            sampleRate: Int(format.sampleRate), channelCount: Int(format.channelCount), device: device,
            applicationName: ProcessInfo.processInfo.processName, server: server)
    }
}
