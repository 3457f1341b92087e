// swift-format-ignore-file
import AVFAudio
import Foundation
import ShazamKit

// Notes which songs a radio plays, from PCM on standard input.
struct Airplay: Codable { let title: String; let seconds: Double }

final class RadioLog {
    private let session: SHSession
    private let format: AVAudioFormat

    init?(catalog: SHCustomCatalog, rate: Double) {
        guard let format = AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: rate, channels: 1, interleaved: true) else { return nil }
        self.format = format
        session = SHSession(catalog: catalog)
    }

    func read(_ input: FileHandle = .standardInput) throws {
        var frame: AVAudioFramePosition = 0
        while let data = try input.read(upToCount: 8192), data.count > 1 {
            let count = AVAudioFrameCount(data.count / 2)
            guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: count), let samples = buffer.int16ChannelData?[0] else { return }
            buffer.frameLength = count
            data.withUnsafeBytes { samples.update(from: $0.bindMemory(to: Int16.self).baseAddress!, count: Int(count)) }
            session.matchStreamingBuffer(buffer, at: AVAudioTime(sampleTime: frame, atRate: format.sampleRate))
            frame += AVAudioFramePosition(count)
        }
    }

    func log() async throws {
        var last: String?
        for await outcome in session.results {
            switch outcome {
            case .match(let match):
                guard let title = match.mediaItems.first?.title, title != last else { continue }
                last = title
                print(String(decoding: try JSONEncoder().encode(Airplay(title: title, seconds: match.mediaItems[0].matchOffset)), as: UTF8.self))
            case .noMatch: last = nil
            case .error(let error, let query): print(error.localizedDescription, query.duration)
            }
        }
    }
}
