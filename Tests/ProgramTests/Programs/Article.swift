// swift-format-ignore-file
import AVFAudio
import Foundation
import ShazamKit

// The matcher of the article on matching audio using the built-in microphone, less what shows it.
class ArticleMatcher: NSObject, SHSessionDelegate {
    let session: SHSession
    let audioEngine = AVAudioEngine()
    let mixerNode = AVAudioMixerNode()
    var found: (SHMatch) -> Void = { _ in }
    var failed: (Error) -> Void = { _ in }

    init(catalog: SHCustomCatalog) {
        session = SHSession(catalog: catalog)
        super.init()
        session.delegate = self
        configureAudioEngine()
    }

    func configureAudioEngine() {
        // Get the native audio format of the engine's input bus.
        let inputFormat = audioEngine.inputNode.inputFormat(forBus: 0)

        // Set an output format compatible with ShazamKit.
        let outputFormat = AVAudioFormat(standardFormatWithSampleRate: 48000, channels: 1)

        // Create a mixer node to convert the input.
        audioEngine.attach(mixerNode)

        // Attach the mixer to the microphone input and the output of the audio engine.
        audioEngine.connect(audioEngine.inputNode, to: mixerNode, format: inputFormat)
        audioEngine.connect(mixerNode, to: audioEngine.outputNode, format: outputFormat)

        // Install a tap on the mixer node to capture the microphone audio.
        mixerNode.installTap(onBus: 0,
                             bufferSize: 8192,
                             format: outputFormat) { [weak self] buffer, audioTime in
            // Add captured audio to the buffer used for making a match.
            self?.addAudio(buffer: buffer, audioTime: audioTime)
        }
    }

    func addAudio(buffer: AVAudioPCMBuffer, audioTime: AVAudioTime) {
        // Add the audio to the current match request.
        session.matchStreamingBuffer(buffer, at: audioTime)
    }

    func startListening() throws {
        // Throw an error if the audio engine is already running.
        guard !audioEngine.isRunning else { return }
        let audioSession = AVAudioSession.sharedInstance()

        // Ask the user for permission to use the mic if required then start the engine.
        try audioSession.setCategory(.playAndRecord)
        audioSession.requestRecordPermission { [weak self] success in
            guard success, let self else { return }
            try? self.audioEngine.start()
        }
    }

    func stopListening() {
        // Check if the audio engine is already recording.
        if audioEngine.isRunning {
            audioEngine.stop()
        }
    }

    func session(_ session: SHSession, didFind match: SHMatch) {
        found(match)
    }

    func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: Error?) {
        // No match found.
        if let error { failed(error) }
    }
}
