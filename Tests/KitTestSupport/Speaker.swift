import AudioCore
import AudioIO
import Foundation
import TestSupport

/// Plays audio to the virtual microphone.
public struct Speaker {
    private let process = Process()
    private let folder: TemporaryFolder

    /// Starts to play audio once.
    public init(playing audio: AudioBuffer) throws {
        folder = try TemporaryFolder()
        guard let encoding = AudioEncoding("wav-pcm16") else { throw CocoaError(.featureUnsupported) }
        try AudioFile.write(audio, to: folder.file("song.wav"), as: encoding)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["paplay", "--device=speaker", folder.file("song.wav")]
        try process.run()
    }

    /// Stops immediately.
    public func stop() {
        // Threads of a pool block other signals, and so do their child processes.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
