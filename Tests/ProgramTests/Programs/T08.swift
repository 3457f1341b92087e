// swift-format-ignore-file
import ShazamKit
import AVFAudio

final class Streamer {
    let session: SHSession
    init(catalog: SHCustomCatalog) { session = SHSession(catalog: catalog) }
    func feed(_ buffers: [AVAudioPCMBuffer]) {
        var at: AVAudioFramePosition = 0
        for b in buffers {
            session.matchStreamingBuffer(b, at: AVAudioTime(sampleTime: at, atRate: b.format.sampleRate))
            at += AVAudioFramePosition(b.frameLength)
        }
    }
    func titles(limit: Int) async -> [String] {
        var out: [String] = []
        for await case .match(let match) in session.results {
            out += match.mediaItems.compactMap(\.title)
            if out.count >= limit { break }
        }
        return out
    }
    func firstHit() async -> SHMatch? {
        for await result in session.results {
            switch result {
            case .match(let m): return m
            case .noMatch(let q): print("miss", q.duration)
            case .error(let e, let q): print(e, q.duration)
            }
        }
        return nil
    }
}
