// swift-format-ignore-file
import AVFAudio
import Foundation
import ShazamKit

// Lamps that flash on the beat of a song the program plays itself.
final class BeatLamp: NSObject, SHSessionDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var current: SHMatchedMediaItem?
    private var last = -1
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()

    func play(_ url: URL) throws {
        let file = try AVAudioFile(forReading: url)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        try engine.start()
        player.scheduleFile(file, at: nil) { print("read") }
        player.play()
    }

    func follow(every interval: TimeInterval = 1 / 250, beat: TimeInterval, _ flash: @escaping @Sendable (Int) -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: interval)
        timer.setEventHandler { [self] in
            guard let offset = lock.withLock({ current?.predictedCurrentMatchOffset }), offset.isFinite else { return }
            let now = Int(offset / beat)
            if now != last { flash(now); last = now }
        }
        timer.resume()
    }

    func session(_ session: SHSession, didFind match: SHMatch) { lock.withLock { current = match.mediaItems.first } }
    func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?) { lock.withLock { current = nil } }
}
