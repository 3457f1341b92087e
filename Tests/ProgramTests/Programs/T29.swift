// swift-format-ignore-file
import AVFAudio
import Foundation
import ShazamKit

// Plays a jingle when something is found, and renders a mix to a file.
final class Jingle: NSObject, AVAudioPlayerDelegate, SHSessionDelegate {
    private let player: AVAudioPlayer

    init(_ url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        super.init()
        player.delegate = self
        player.numberOfLoops = 1
        player.volume = 0.8
        player.prepareToPlay()
    }

    func session(_ session: SHSession, didFind match: SHMatch) {
        if !player.isPlaying { player.currentTime = 0; player.play() }
    }
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { print(flag, player.duration) }
}

func render(_ sources: [URL], to output: URL) throws {
    let engine = AVAudioEngine()
    let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2)!
    var length: AVAudioFramePosition = 0
    let players = try sources.map { url -> AVAudioPlayerNode in
        let (player, file) = (AVAudioPlayerNode(), try AVAudioFile(forReading: url))
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        player.scheduleFile(file, at: AVAudioTime(sampleTime: 0, atRate: 44_100), completionCallbackType: .dataPlayedBack) { _ in }
        length = max(length, file.length)
        return player
    }
    try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
    try engine.start()
    players.forEach { $0.play() }
    let buffer = AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: engine.manualRenderingMaximumFrameCount)!
    let file = try AVAudioFile(forWriting: output, settings: format.settings)
    while engine.manualRenderingSampleTime < length {
        let frames = min(AVAudioFrameCount(length - engine.manualRenderingSampleTime), buffer.frameCapacity)
        switch try engine.renderOffline(frames, to: buffer) {
        case .success: try file.write(from: buffer)
        case .insufficientDataFromInputNode, .cannotDoInCurrentContext: continue
        case .error: throw SHError(.internalError)
        @unknown default: fatalError()
        }
    }
    engine.disableManualRenderingMode()
}

func announce(_ buffer: AVAudioPCMBuffer, on player: AVAudioPlayerNode) async {
    player.scheduleBuffer(buffer, at: nil, options: [.loops, .interrupts], completionHandler: nil)
    player.pan = -0.5
    if let time = player.lastRenderTime, let position = player.playerTime(forNodeTime: time) { print(Double(position.sampleTime) / position.sampleRate) }
    await player.scheduleBuffer(buffer, at: nil, options: .interruptsAtLoop)
    player.stop()
}
